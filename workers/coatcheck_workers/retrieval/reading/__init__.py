"""`read`: pages of an original."""
