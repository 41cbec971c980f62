"""A search through a gigabyte, beside streaming the same object to nowhere."""

import msgspec

from benchmarks.deployment import Servers, consumer
from benchmarks.large.memory import MB, watched
from benchmarks.retrieval.asking import Asking
from benchmarks.retrieval.contents import KINDS
from benchmarks.retrieval.floor import Range
from benchmarks.retrieval.keeping import Kept, deployment
from benchmarks.rows import Pair, Row, compared

LARGE, QUICK_LARGE = 1000, 200
MOST_GROWN_MB = 64
_END = "request deadbeef failed: connection refused by upstream peer\n"


class _Query(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    query: str
    kind: str = "logs"
    regex: bool = False
    ignore_case: bool = False
    found: int = 0
    asked: str = ""


QUERIES = (
    _Query(name="words that are not there", query="connection reset by peer", asked=">= 0.5"),
    _Query(name="words at the very end", query="connection refused by upstream", found=1, asked=">= 0.5"),
    _Query(name="Chinese words that are not there", query="我们的连接失败", kind="Chinese", asked=">= 0.5"),
    _Query(name="words that are not there, in any case", query="Connection Reset by Peer", ignore_case=True),
    _Query(name="what no expression finds", query=r"took \d{5,} ms|\bpanic: ", regex=True, asked=">= 0.25"),
    _Query(
        name="an expression's match at the very end",
        query=r"request [0-9a-f]{8} failed: .*refused",
        regex=True,
        found=1,
        asked=">= 0.25",
    ),
)


async def searches(on: Servers, quick: bool) -> list[Row]:
    """A search that its time limit stops is gone on with by its cursor, as an agent does."""
    size, rounds = (QUICK_LARGE * MB, 1) if quick else (LARGE * MB, 2)
    async with deployment(on) as one:
        kept = {kind: (await one.keep("none", kind, [size], _END))[0] for kind in KINDS}
        asking = Asking(one.client, one.prefix)
        async with (
            consumer(on, "ours", "requests", one.settings) as process,
            consumer(on, "floor", "requests", one.settings),
        ):
            await _once(asking, kept["logs"], QUERIES[0])
            async with watched(process.pid) as memory:
                taken = [[await _pair(asking, kept[query.kind], query) for _ in range(rounds)] for query in QUERIES]
    return [
        *(
            compared(f"search {size // MB} MB for {query.name}, beside streaming them", "MB/s", pairs, query.asked)
            for query, pairs in zip(QUERIES, taken, strict=True)
        ),
        Row(
            figure="the worker's memory meanwhile, over what it had after a first search",
            unit="MB",
            ours=memory.grown / MB,
            asked=f"< {MOST_GROWN_MB}",
        ),
    ]


async def _pair(asking: Asking, kept: Kept, query: _Query) -> Pair:
    """MB a second."""
    size = kept.size / MB
    ours = await _once(asking, kept, query)
    floor, passed = await asking.floor("stream", Range(kept.key))
    if int(passed) != kept.size:
        raise RuntimeError(f"{passed!r} of {kept.size} bytes passed")
    return size / ours, size / floor


async def _once(asking: Asking, kept: Kept, query: _Query) -> float:
    seconds, cursor, found = 0.0, None, 0
    while True:
        fields = {"regex": query.regex, "ignore_case": query.ignore_case, "cursor": cursor}
        took, reply = await asking.ours("search", ref=kept.ref, query=query.query, **fields)
        seconds, cursor, found = seconds + took, reply["cursor"], found + len(reply["matches"])
        if cursor is None:
            break
    if found != query.found:
        raise RuntimeError(f"{found} matches of {query.query!r}, not {query.found}")
    return seconds
