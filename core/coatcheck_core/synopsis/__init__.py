"""The synopsis: typed, deterministic facts about a result, without any model or server."""

from .code.warming import warm_up
from .detection import synopsize

__all__ = ["synopsize", "warm_up"]
