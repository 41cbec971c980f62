"""The worker's log: lines for people, or one JSON object a line, with what each is about."""

import logging
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import TextIO

import msgspec

from coatcheck_core.settings.operating import LogsSettings
from coatcheck_schemas.times import format_time
from coatcheck_workers.process.about import ABOUT as OWN_ABOUT

from .context import ABOUT, About, ids_of
from .library_lines import LibraryLines

TEXT = "%(asctime)s %(levelname)s %(name)s %(message)s"
MAX_MESSAGE_CHARS = 16_000
"""A message may quote what anybody sent; whoever collects lines cuts or drops those that are longer."""

_ESCAPES = {code: repr(chr(code))[1:-1] for code in (*range(0x20), 0x7F, *range(0x80, 0xA0), 0x2028, 0x2029)}
"""What ends a line, or moves a terminal's cursor."""


_ESCAPES_IN_LINES = {code: escape for code, escape in _ESCAPES.items() if code != 0x0A}
_INDENT = "    "
_Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def one_line(message: str) -> str:
    """The message with its control characters escaped and nothing that is not Unicode, cut where it is too long."""
    cut = message if len(message) <= MAX_MESSAGE_CHARS else f"{message[:MAX_MESSAGE_CHARS]}... (cut)"
    return _printable(cut, _ESCAPES)


def lines(text: str) -> str:
    """A traceback's text as one_line makes a message's, in its lines; where it is too long, its middle is left out."""
    half = MAX_MESSAGE_CHARS // 2
    cut = text if len(text) <= MAX_MESSAGE_CHARS else f"{text[:half]}\n... (cut) ...\n{text[-half:]}"
    return _printable(cut, _ESCAPES_IN_LINES)


def _printable(text: str, escapes: dict[int, str]) -> str:
    return text.translate(escapes).encode("utf-8", "backslashreplace").decode()


class TextLines(logging.Formatter):
    """A line for people; only a traceback makes more of it, indented: no text in it can begin as a line of the log."""

    def __init__(self) -> None:
        super().__init__(TEXT)

    def formatException(self, ei: _Raised) -> str:  # noqa: N802 - logging's name
        return _INDENT + lines(super().formatException(ei)).replace("\n", f"\n{_INDENT}")

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - logging's name
        return _INDENT + lines(stack_info).replace("\n", f"\n{_INDENT}")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        record.message = one_line(record.message)
        return super().formatMessage(record)


class JsonLines(logging.Formatter):
    """One JSON object a line; `trace_id` tells the trace that is in hand, where there is one."""

    def __init__(self, trace_id: Callable[[], str | None] = lambda: None) -> None:
        super().__init__()
        self.trace_id = trace_id

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": format_time(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": one_line(record.getMessage()),
            **{name: one_line(value) for name, value in ids_of(_about(record)).items()},
        }
        trace_id = self.trace_id()
        if trace_id is not None:
            line["trace_id"] = trace_id
        if record.exc_info:
            line["error"] = lines(self.formatException(record.exc_info))
        return msgspec.json.encode(line).decode()


def _about(record: logging.LogRecord) -> About | None:
    own: About | None = getattr(record, OWN_ABOUT, None)
    return ABOUT.get() if own is None else own


def log_to(stream: TextIO, settings: LogsSettings, trace_id: Callable[[], str | None] = lambda: None) -> None:
    """Let everything that is logged from here on go there so, in place of what was set up before."""
    handler = logging.StreamHandler(stream)
    handler.addFilter(LibraryLines())
    handler.setFormatter(JsonLines(trace_id) if settings.format == "json" else TextLines())
    logging.basicConfig(level=settings.level.upper(), handlers=[handler], force=True)


def log_to_stderr(settings: LogsSettings, trace_id: Callable[[], str | None] = lambda: None) -> None:
    log_to(sys.stderr, settings, trace_id)
