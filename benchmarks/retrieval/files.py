"""What a session's files cost beside the requests for results that they stand for, in turn, on the same worker."""

from statistics import median

import msgspec

from benchmarks.agent import KB
from benchmarks.deployment import Servers, consumer
from benchmarks.retrieval.asking import Asking
from benchmarks.retrieval.keeping import SESSION, Kept, deployment
from benchmarks.rows import Pair, Row, compared
from coatcheck_schemas.filesystem import RESULTS_FOLDER
from coatcheck_schemas.refs import parse_ref

COUNT, QUICK_COUNT = 60, 30
SIZE = 100 * KB
TIMES, QUICK_TIMES = 200, 60
_WANTED = "connection reset by peer"
"""What no log has."""
_FREQUENT = "request"


class _Case(msgspec.Struct, frozen=True, kw_only=True):
    """A request for files, and the one that it is held against; each is an operation and its fields."""

    figure: str
    file: tuple[str, dict[str, object]]
    result: tuple[str, dict[str, object]]
    asked: str = "<= 1.2"


async def files(on: Servers, quick: bool) -> list[Row]:
    async with deployment(on) as one:
        kept = await one.keep("none", "logs", [SIZE + number for number in range(QUICK_COUNT if quick else COUNT)])
        asking = Asking(one.client, one.prefix)
        async with consumer(on, "ours", "requests", one.settings):
            await _write(asking)
            cases = _cases(kept)
            times = QUICK_TIMES if quick else TIMES
            rounds = [[await _in_turn(asking, case, times) for case in cases] for _ in range(1 if quick else 3)]
    return [
        compared(case.figure, "ms", [pairs[number] for pairs in rounds], case.asked)
        for number, case in enumerate(cases)
    ]


async def _write(asking: Asking) -> None:
    line = "an own file's line, of which there are some\n"
    await asking.ours("fs", f"{SESSION}.write", path="own.txt", content=line * (SIZE // len(line)))


def _cases(kept: list[Kept]) -> list[_Case]:
    first, last = (f"{RESULTS_FOLDER}/{parse_ref(one.ref).result_id}" for one in (kept[0], kept[-1]))
    by_id, by_call, newest = first, first[:-33], last[:-33]
    page = {"offset": 300, "limit": 200, "unit": "lines"}
    read = "read", {"ref": kept[0].ref, **page}
    search: dict[str, object] = {"query": _WANTED, "context_chars": 500}
    frequent: dict[str, object] = {"query": _FREQUENT, "context_chars": 500, "limit": 100}
    return [
        _Case(figure="fs read by a result's id, beside read", file=("read", {"path": by_id, **page}), result=read),
        _Case(
            figure="fs read by the last call's id, beside read", file=("read", {"path": newest, **page}), result=read
        ),
        _Case(
            figure=f"fs read by the id of a call {len(kept) - 1} results ago, beside read",
            file=("read", {"path": by_call, **page}),
            result=read,
        ),
        _Case(figure="fs read of an own file, beside read", file=("read", {"path": "own.txt", **page}), result=read),
        _Case(
            figure="fs grep of a result for words that are not there, beside search",
            file=("grep", {"path": by_id, "pattern": _WANTED}),
            result=("search", {"ref": kept[0].ref, **search}),
        ),
        _Case(
            figure=f"fs grep of {len(kept)} results for words that are not there, beside search",
            file=("grep", {"path": RESULTS_FOLDER, "pattern": _WANTED}),
            result=("search", search),
        ),
        _Case(
            figure="fs grep of all files for words that are not there, beside search",
            file=("grep", {"pattern": _WANTED}),
            result=("search", search),
        ),
        _Case(
            figure="fs grep of all files for a page of frequent words, beside search",
            file=("grep", {"pattern": _FREQUENT, "limit": 100}),
            result=("search", frequent),
        ),
    ]


async def _in_turn(asking: Asking, case: _Case, times: int) -> Pair:
    """The medians."""
    pairs = [await _pair(asking, case) for _ in range(times)][3:]
    return median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)


async def _pair(asking: Asking, case: _Case) -> Pair:
    operation, fields = case.file
    verb, others = case.result
    ours, _ = await asking.ours("fs", f"{SESSION}.{operation}", **fields)
    floor, _ = await asking.ours(verb, **others)
    return ours, floor
