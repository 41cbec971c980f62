"""Deleting: a result or a session is unreadable at once, then purged from the streams, then erased in storage."""
