"""The client of an agent or a tool: see `coatcheck`."""

from .client import Client, connect
from .encoding import Content, ResultFields, Segment
from .sending import Published
from .stubs import StubStream

__all__ = ["Client", "Content", "Published", "ResultFields", "Segment", "StubStream", "connect"]
