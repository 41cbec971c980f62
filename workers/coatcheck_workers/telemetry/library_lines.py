"""What a library logs without end while something is away: told once, then summed up."""

import logging

from coatcheck_core.tally import Tally

CHATTY = "opentelemetry"
"""Its exporters write some lines for each batch that no collector takes."""


class LibraryLines(logging.Filter):
    """Of each of the library's loggers and levels one line at once, then one each ten seconds, with how many came."""

    def __init__(self) -> None:
        super().__init__()
        self._tally = Tally()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.partition(".")[0] != CHATTY:
            return True
        count = self._tally.add(f"{record.name} {record.levelname}", record.created)
        if count is None:
            return False
        if count > 1:
            record.msg, record.args = f"{record.getMessage()} (the last of {count} such lines)", None
        return True
