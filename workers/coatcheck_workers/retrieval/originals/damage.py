"""The alarm for what is damaged in storage: told once an object and while, for a reader may ask again and again."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable

log = logging.getLogger("coatcheck.retrieval")

AGAIN_SECONDS = 600.0
"""After so long an object that is still damaged is told again."""
_MOST_KEYS = 10_000


class Damage:
    """One worker's. `found` counts every time that an answer failed for it, told or not."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._told: OrderedDict[str, float] = OrderedDict()
        self.found = 0

    def report(self, key: str, why: str) -> None:
        """The object `key` is not what was stored there."""
        self.found += 1
        now = self._clock()
        told = self._told.get(key)
        if told is not None and now - told < AGAIN_SECONDS:
            return
        self._told[key] = now
        self._told.move_to_end(key)
        while len(self._told) > _MOST_KEYS:
            self._told.popitem(last=False)
        log.error("DAMAGED in storage: %s: %s; nothing of what is damaged is given out", key, why)
