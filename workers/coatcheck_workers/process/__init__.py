"""A worker as a process: what ends it, and what it ends with."""
