"""What a library logs again and again while its collector is away."""

import io
import logging
from collections.abc import Iterator

import pytest

from coatcheck_core.settings.operating import LogsSettings
from coatcheck_core.tally import TELL_SECONDS
from coatcheck_workers.telemetry.library_lines import LibraryLines
from coatcheck_workers.telemetry.logs import log_to

EXPORTER = "opentelemetry.exporter.otlp.proto.http.trace_exporter"


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


def line(number: int, at: float, *, name: str = EXPORTER, level: int = logging.WARNING) -> logging.LogRecord:
    record = logging.LogRecord(name, level, __file__, 1, "try %d", (number,), None)
    record.created = at
    return record


def told(lines: LibraryLines, records: list[logging.LogRecord]) -> list[str]:
    return [record.getMessage() for record in records if lines.filter(record)]


def test_the_first_is_told_at_once_and_then_a_sum_each_ten_seconds() -> None:
    records = [line(number, 100.0 + number) for number in range(25)]
    assert told(LibraryLines(), records) == [
        "try 0",
        "try 10 (the last of 10 such lines)",
        "try 20 (the last of 10 such lines)",
    ]


def test_another_level_and_another_logger_of_it_are_told_by_themselves() -> None:
    records = [line(1, 0.0), line(2, 0.1, level=logging.ERROR), line(3, 0.2, name="opentelemetry.sdk.trace.export")]
    assert told(LibraryLines(), records) == ["try 1", "try 2", "try 3"]


@pytest.mark.parametrize("name", ["coatcheck.worker", "opentelemetrist", "nats"])
def test_lines_of_ours_and_of_others_are_all_told(name: str) -> None:
    assert len(told(LibraryLines(), [line(number, 0.0, name=name) for number in range(5)])) == 5


def test_after_a_pause_one_alone_is_told_as_it_is() -> None:
    assert told(LibraryLines(), [line(1, 0.0), line(2, TELL_SECONDS)]) == ["try 1", "try 2"]


def test_the_worker_s_log_goes_by_it() -> None:
    stream = io.StringIO()
    log_to(stream, LogsSettings())
    for _ in range(3):
        logging.getLogger(EXPORTER).warning("the collector is away")
    assert stream.getvalue().count("the collector is away") == 1
