"""What a test expected and what it got, as runners print it: pytest, jest, rspec, Rust's, node's and Go's."""

import re
from collections.abc import Iterator

from coatcheck_core.synopsis.blocks import Window, own
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

from .counting import text

_SHOWN = 3
_CHARS = 160
_WRONG = re.compile(
    rb"\n(?:>[^\n]{0,200}\nE {1,8}(?P<pytest>[^\n]{1,150})"
    rb"|[ ]{1,8}(?P<jest>Expected[^\n:]{0,30}: [^\n]{1,80}\n[ ]{1,8}Received[^\n:]{0,30}: [^\n]{1,80})"
    rb"|[ ]{1,12}Failure/Error: (?P<rspec>[^\n]{1,100}(?:\n{1,2}[ ]{1,16}expected: [^\n]{1,60}\n[ ]{1,16}"
    rb"got: [^\n]{1,60})?)"
    rb"|thread '[^\n']{0,100}'[^\n]{0,20} panicked at (?P<rust>[^\n]{1,100}\n[^\n]{1,100}"
    rb"(?:\n {1,4}left: [^\n]{1,60}\n {1,4}right: [^\n]{1,60})?)"
    rb"|[ ]{0,12}(?P<named>Assertion(?:Failed)?Error\b[^\n]{1,150}(?:\n[ ]{1,8}\n?[ ]{0,8}\S{1,60} !== \S{1,60})?))"
)
_GO = re.compile(
    rb"\n(?:[ ]{0,40}(?P<mark>--- (?:FAIL|PASS|SKIP):|=== RUN)"
    rb"|[ ]++(?P<said>[\w./-]{1,100}_test\.go:\d+: [^\n]{1,150}))"
)
_GO_FAILED = b"--- FAIL:"


def wrong_details(seen: Seen) -> list[Detail]:
    """The first assertions that failed, each once; none of a runner that is not known."""
    found: dict[str, None] = {}
    for assertion in _assertions(seen):
        found.setdefault(text(assertion, _CHARS))
        if len(found) == _SHOWN:
            break
    return [Detail(name="first failed assertions", values=list(found))] if found else []


def _assertions(seen: Seen) -> Iterator[bytes]:
    go = _Go()
    for window in seen.windows():
        for match in _WRONG.finditer(window.text, window.start - 1):
            if not own(window, match.start()):
                break
            yield next(group for group in match.groups() if group)
        if go.said or b"_test.go:" in window.text:
            yield from go.failed(window)


class _Go:
    """What a test said is a failure only by the mark below it (`-v`), or above it; a test that passed logs alike."""

    def __init__(self) -> None:
        self.said: list[bytes] = []
        self._has_failed = False

    def failed(self, window: Window) -> Iterator[bytes]:
        for match in _GO.finditer(window.text, window.start - 1):
            if not own(window, match.start()):
                break
            if match["said"] is not None:
                if self._has_failed:
                    yield match["said"]
                else:
                    self.said = [*self.said[1 - _SHOWN :], match["said"]]
                continue
            self._has_failed = match["mark"] == _GO_FAILED
            if self._has_failed:
                yield from self.said
            self.said = []
