"""What a JUnit report tells: how many tests there are, and which did not pass."""

import re
from collections.abc import Iterator

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.effort import Step
from coatcheck_schemas.synopsis import Detail

from .attributes import read_attributes
from .finding import OPEN, Constructs, find

_SHOWN = 8
_CHARS = 160
_CASE = b"<testcase"
_RESULT = re.compile(rb"<(?:(testcase)|(failure|error)|(skipped))(?=[\s/>])")


def junit_details(data: bytes, at: int, end: int, step: Step) -> list[Detail]:
    """Exact for all suites, whatever the totals that the report itself claims."""
    cases = skipped = failed = 0
    case, failed_case = OPEN, OPEN
    shown: list[str] = []
    for match in _results(data, at, end, step):
        if match[1]:
            cases += 1
            case = match.start()
        elif match[3]:
            skipped += 1
        elif case != failed_case:
            failed_case = case
            failed += 1
            if len(shown) < _SHOWN:
                shown.append(_described(data, case, match.start()))
    details = [Detail(name="test cases", count=cases), Detail(name="failed", count=failed, values=shown)]
    return [*details, Detail(name="skipped", count=skipped)] if skipped else details


def _results(data: bytes, at: int, end: int, step: Step) -> Iterator[re.Match[bytes]]:
    """Those that are tags: what is quoted in a CDATA section counts nothing."""
    for start, behind in Constructs(data, end, step).between(at):
        yield from _tags(data, at, start, step)
        at = end if behind == OPEN else behind
    yield from _tags(data, at, end, step)


def _tags(data: bytes, at: int, end: int, step: Step) -> Iterator[re.Match[bytes]]:
    while at < end:
        limit = find(data, b"<", min(at + _WINDOW_BYTES, end), end, step)
        limit = end if limit == OPEN else limit
        yield from _RESULT.finditer(data, at, limit)
        at = limit


_WINDOW_BYTES = 256 * 1024


def _described(data: bytes, case: int, result: int) -> str:
    """`class.name: message`, as far as they are given."""
    of_case = _named(data, case)
    name = ".".join(filter(None, (of_case.get("classname"), of_case.get("name"))))
    message = _named(data, result).get("message")
    return clip(f"{name}: {message}" if message else name, _CHARS)


def _named(data: bytes, tag_at: int) -> dict[str, str]:
    return (
        {attribute.name: attribute.value for attribute in read_attributes(data, tag_at, 8).shown} if tag_at >= 0 else {}
    )
