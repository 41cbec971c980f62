"""The answers to requests: `read`, `search`, `list` and `replay`, apart from how requests arrive."""

from .answering import answer
from .event_log import JetStreamEventLog
from .model import Answer, EventLog, EventPage, LoggedEvent, Retrieval

__all__ = ["Answer", "EventLog", "EventPage", "JetStreamEventLog", "LoggedEvent", "Retrieval", "answer"]
