"""The stub: the text that stands in for an original in the agent's context."""

from .styles import Render, Styles, render_stub, shortest_stub, styles_of
from .subject import StubSubject, TextSize, text_size

__all__ = ["Render", "StubSubject", "Styles", "TextSize", "render_stub", "shortest_stub", "styles_of", "text_size"]
