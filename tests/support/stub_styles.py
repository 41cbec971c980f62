"""Styles of stubs as an operator writes them: good ones, and such as go wrong in each way there is."""

from typing import Any

from coatcheck_core.settings.model import RetrievalSettings, StubSettings
from coatcheck_core.stub import StubSubject


def brief(subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings) -> str:
    return f"{subject.tool_name} gave {subject.original_chars} chars: {retrieval.read_tool} {subject.ref}"


def quoting(subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings) -> str:
    return f"first:\n\t{subject.head(40)}"


def failing(subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings) -> str:
    raise KeyError("no such fact")


def endless(subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings) -> str:
    return "x" * (stub.max_chars + 1)


def blank(subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings) -> str:
    return " \n"


def bytes_for_text(subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings) -> Any:
    return b"bytes"


def growing(subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings) -> str:
    """Within the cap until it is escaped."""
    return "\x1b" * stub.max_chars


NOT_A_FUNCTION = "text"
