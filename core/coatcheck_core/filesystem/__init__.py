"""What a session's filesystem decides: paths, patterns, edits, and the lines that a grep shows."""
