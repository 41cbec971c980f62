"""A worker as a process: what it does beside its work, what ends it, and what it ends with."""
