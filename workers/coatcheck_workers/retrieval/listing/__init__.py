"""`list`: the results of a session by time, tool and kind."""
