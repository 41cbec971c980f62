"""What comes on a session's subjects and is nothing that this client knows: passed over, and told in the log."""

import logging
from time import monotonic

from coatcheck_core.tally import Tally

logger = logging.getLogger("coatcheck")

_TALLY = Tally()


def tell_unreadable(what: str, subject: str, error: Exception) -> None:
    """A warning at once, then no oftener than each ten seconds with how many there were.

    Another session's agent can have answers to its own requests sent there, as many as it likes. `what` is one of few.
    """
    count = _TALLY.add(what, monotonic())
    if count is not None:
        told = "passed over %d that came as %s and this version does not know, the last on %s: %s"
        logger.warning(told, count, what, subject, error)
