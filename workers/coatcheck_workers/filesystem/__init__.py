"""The requests `fs`: a session's own files, and its results in `/large_tool_result`."""
