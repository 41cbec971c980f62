"""Lines of the log for what goes wrong at requests: whoever asks may ask without end, and each line is one of many."""

import logging
import time

from coatcheck_core.tally import Tally

log = logging.getLogger("coatcheck.retrieval")


def tell(troubles: Tally | None, name: str, level: int, text: str, *, exc_info: Exception | None = None) -> None:
    """A line of the log, or none where `name`, a kind of trouble, was told just before: then it is counted alone."""
    count = 1 if troubles is None else troubles.add(name, time.monotonic())
    if count is not None:
        log.log(level, "%s%s", text, "" if count == 1 else f" ({count} alike since the last told)", exc_info=exc_info)
