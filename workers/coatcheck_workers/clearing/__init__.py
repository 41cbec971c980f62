"""Answer the requests to clear old results out of a conversation."""
