"""One file a command; each exports its click command as `command`."""
