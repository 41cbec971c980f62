"""`search`: in one original, or in all of a session."""
