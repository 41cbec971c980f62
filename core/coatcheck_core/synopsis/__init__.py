"""The synopsis: typed, deterministic facts about a result, without any model or server."""

from .detection import synopsize

__all__ = ["synopsize"]
