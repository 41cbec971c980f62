"""The client of an agent or a tool: see `coatcheck`."""

from .client import Client
from .connecting import connect
from .encoding import CallFields, Content, ResultFields, Segment
from .sending import Published
from .streaming import ResultStream
from .stubs import StubStream
from .turns import Turn

__all__ = [
    "CallFields",
    "Client",
    "Content",
    "Published",
    "ResultFields",
    "ResultStream",
    "Segment",
    "StubStream",
    "Turn",
    "connect",
]
