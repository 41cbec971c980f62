"""Run a function where it may crash: in a child process of its own."""

from .isolated import Isolated, NoChild, WorkerKilled

__all__ = ["Isolated", "NoChild", "WorkerKilled"]
