"""Object storage."""

from .gate import Gate
from .opening import open_store

__all__ = ["Gate", "open_store"]
