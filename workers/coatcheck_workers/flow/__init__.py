"""The flow of results: from a message to its stub, through whatever fails on the way. results.py is its start."""
