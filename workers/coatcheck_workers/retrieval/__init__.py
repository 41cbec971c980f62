"""The answers to requests: `read`, `search`, `list` and `replay`, apart from how requests arrive."""

from .answering import answer, refuse
from .event_log import StubLog
from .model import Answer, EventLog, EventPage, LoggedEvent, Retrieval

__all__ = ["Answer", "EventLog", "EventPage", "LoggedEvent", "Retrieval", "StubLog", "answer", "refuse"]
