"""The server's commands; each module exports a click command as `command`."""
