"""Everything on one machine: bundled servers, their layout, and workers that are started again when they die."""

from .locks import AlreadyRunning
from .machine import Machine, ServerEnded
from .plan import Plan

__all__ = ["AlreadyRunning", "Machine", "Plan", "ServerEnded"]
