"""The synopsis: typed, deterministic facts about a result, without any model or server."""

from .code.warming import warm_up
from .detection import synopsize
from .ends.reading import synopsize_ends

__all__ = ["synopsize", "synopsize_ends", "warm_up"]
