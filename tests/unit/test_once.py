"""A value that is computed once: for each instance, and without one thread waiting for another's."""

import threading

from coatcheck_core.once import once


class Thing:
    def __init__(self, wait: threading.Event | None = None) -> None:
        self.computed = 0
        self.began = threading.Event()
        self._wait = wait

    @once
    def value(self) -> int:
        """What it says."""
        self.computed += 1
        self.began.set()
        if self._wait is not None:
            assert self._wait.wait(20)
        return self.computed


def test_it_is_computed_once_for_each_instance() -> None:
    first, second = Thing(), Thing()
    assert (first.value, first.value, second.value) == (1, 1, 1)
    assert (first.computed, second.computed) == (1, 1)


def test_it_is_not_computed_before_it_is_asked_for() -> None:
    assert "value" not in Thing().__dict__
    assert Thing.value.__doc__ == "What it says."


def test_nobody_waits_for_what_another_thread_computes_of_another_instance() -> None:
    """The event loop did, for every result that a thread was at."""
    release = threading.Event()
    slow, quick = Thing(release), Thing()
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    assert slow.began.wait(20)
    computed = threading.Thread(target=lambda: quick.value)
    computed.start()
    computed.join(20)
    is_done = not computed.is_alive()
    release.set()
    thread.join(20)
    assert is_done
