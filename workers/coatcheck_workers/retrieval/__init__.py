"""The answers to requests: `read`, `search`, `list`, `replay`, `upload`, `link`, `delete`; not how requests arrive."""

from .answering import answer, refuse
from .event_log import StubLog
from .linking.copies import Copies
from .model import Answer, EventLog, EventPage, LoggedEvent, Retrieval
from .threads import RequestThreads

__all__ = [
    "Answer",
    "Copies",
    "EventLog",
    "EventPage",
    "LoggedEvent",
    "RequestThreads",
    "Retrieval",
    "StubLog",
    "answer",
    "refuse",
]
