"""The stub: the text that stands in for an original in the agent's context."""

from .styles import Render, Styles, render_stub, shortest_stub, styles_of
from .subject import StubSubject

__all__ = ["Render", "StubSubject", "Styles", "render_stub", "shortest_stub", "styles_of"]
