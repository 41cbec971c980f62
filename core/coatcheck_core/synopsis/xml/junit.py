"""What a JUnit report tells: how many tests there are, and which did not pass."""

import re
from collections.abc import Iterator
from itertools import chain

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.effort import Step
from coatcheck_schemas.synopsis import Detail

from .attributes import read_attributes
from .finding import OPEN, Constructs, find

_SHOWN = 8
_CHARS = 160
_CASE = b"<testcase"
_NO_CASE = re.compile(rb"<testcase[^\s/>]")
_RESULTS = (b"<failure", b"<error", b"<skipped")
_RESULT = re.compile(rb"<(?:failure|error|(skipped))(?=[\s/>])")
_WINDOW_BYTES = 256 * 1024


def junit_details(data: bytes, at: int, end: int, step: Step) -> list[Detail]:
    """Exact for all suites, whatever the totals that the report itself claims."""
    cases = skipped = failed = 0
    failed_case = OPEN
    shown: list[str] = []
    for start, limit, open_case in _windows(data, at, end, step):
        cases += _count_cases(data, start, limit)
        for match, case in _results(data, start, limit, open_case):
            if match[1]:
                skipped += 1
            elif case != failed_case:
                failed_case = case
                failed += 1
                if len(shown) < _SHOWN:
                    shown.append(_described(data, case, match.start()))
    details = [Detail(name="test cases", count=cases), Detail(name="failed", count=failed, values=shown)]
    return [*details, Detail(name="skipped", count=skipped)] if skipped else details


def _windows(data: bytes, at: int, end: int, step: Step) -> Iterator[tuple[int, int, int]]:
    """From where to where there are tags and text alone, and where the last case before that began."""
    case = OPEN
    for start, behind in chain(Constructs(data, end, step).between(at), [(end, end)]):
        while at < start:
            limit = find(data, b"<", min(at + _WINDOW_BYTES, start), start, step)
            limit = start if limit == OPEN else limit
            yield at, limit, case
            case = _last_case(data, at, limit, case)
            at = limit
        at = end if behind == OPEN else behind


def _count_cases(data: bytes, start: int, end: int) -> int:
    count = data.count(_CASE, start, end)
    if data.count(_CASE + b" ", start, end) == count:
        return count
    return count - sum(1 for _ in _NO_CASE.finditer(data, start, end))


def _last_case(data: bytes, start: int, end: int, otherwise: int) -> int:
    at = data.rfind(_CASE, start, end)
    while at >= 0 and _NO_CASE.match(data, at):
        at = data.rfind(_CASE, start, at)
    return at if at >= 0 else otherwise


def _results(data: bytes, start: int, end: int, case: int) -> Iterator[tuple[re.Match[bytes], int]]:
    """Of cases that did not pass, and where the case of each begins."""
    if not any(data.find(result, start, end) >= 0 for result in _RESULTS):
        return
    for match in _RESULT.finditer(data, start, end):
        case = _last_case(data, start, match.start(), case)
        start = match.start()
        yield match, case


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
