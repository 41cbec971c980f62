"""What real commands print, in a folder with small projects of several languages."""

from .running import Command, command_sources

__all__ = ["Command", "command_sources"]
