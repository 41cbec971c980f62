"""The stub: the text that stands in for an original in the agent's context."""

from .rendering import render_stub, shortest_stub
from .subject import StubSubject

__all__ = ["StubSubject", "render_stub", "shortest_stub"]
