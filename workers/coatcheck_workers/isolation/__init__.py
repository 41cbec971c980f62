"""Run a function where it may crash: in a child process of its own; synopses of large results above all."""

from .isolated import Isolated, NoChild, WorkerKilled
from .pool import IsolatedPool

__all__ = ["Isolated", "IsolatedPool", "NoChild", "WorkerKilled"]
