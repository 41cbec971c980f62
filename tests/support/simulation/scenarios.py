"""What is published in a simulation, and under which settings."""

import random
from functools import cache

import msgspec
from tests.support.simulation.published import Published, again, broken, end, in_pieces, result, text

from coatcheck_core.settings import Settings, load
from coatcheck_workers.uploads.taking import SPOOL_BYTES

SETTINGS = (
    "result.threshold=1500",
    "turn.inline_budget=3000",
    "stub.max_chars=500",
    "turn.deadline_seconds=60",
    "storage.retry_seconds=30",
)
"""A stub has 500 chars at the most: three results of 1200 are over a turn's budget, and one stub mends it."""
_LARGE = ("storage.large_bytes=65536",)
_SOON = ("storage.retry_seconds=2", "storage.retry_max_seconds=3")


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """`away` as in the world; `assignments` are settings beyond `SETTINGS`, `spool_bytes` as in the worker's edges.

    Where the results of the calls `spoiled` are to be stored, another original is in their place.
    """

    published: list[Published]
    assignments: tuple[str, ...] = ()
    away: tuple[tuple[str, float, float], ...] = ()
    workers: int = 2
    spoiled: tuple[str, ...] = ()
    spool_bytes: int = SPOOL_BYTES

    @property
    def settings(self) -> Settings:
        return _settings(self.assignments)


@cache
def _settings(assignments: tuple[str, ...]) -> Settings:
    return load(assignments=(*SETTINGS, *assignments))[0]


SCENARIOS = {
    "a turn of a known size, one over its threshold": Scenario(
        published=[result("a", 1200, size=3), result("b", 2000, size=3, at=0.02), result("c", 1300, size=3, at=0.04)]
    ),
    "a turn of a known size, over its budget": Scenario(
        published=[result(call, 1100 + 10 * i, size=3, at=0.01 * i) for i, call in enumerate("abc")]
    ),
    "a turn of an unknown size, and its end": Scenario(
        published=[
            result("a", 1400),
            result("b", 1400, at=0.01),
            result("c", 1400, at=0.02),
            end(at=0.03),
        ]
    ),
    "a turn that is settled at its deadline": Scenario(
        published=[result("a", 1400, size=4), result("b", 1400, size=4, at=5), result("c", 1400, size=4, at=20)]
    ),
    "only the first result says how many there are, and it is over its threshold": Scenario(
        published=[result("a", 1800, size=3), result("b", 1200, at=1)]
    ),
    "an end that says how many there are, and comes first": Scenario(
        published=[end(size=2), result("a", 1490, at=0.02), result("b", 1490, at=0.03)],
        assignments=("turn.inline_budget=2000",),
    ),
    "an end that says there are fewer": Scenario(
        published=[result("a", 1400, size=4), result("b", 1400, size=4, at=0.01), end(size=2, at=0.02)],
        assignments=("turn.inline_budget=2000",),
    ),
    "a late result, and one again": Scenario(
        published=[
            result("a", 1400, size=2),
            result("b", 1400, size=2, at=0.01),
            result("c", 1400, size=2, at=1.0),
            result("a", 1400, size=2, at=1.01),
        ]
    ),
    "a result again before its turn is settled": Scenario(
        published=[result("a", 1400, size=2), result("a", 1400, size=2, at=0.5), result("b", 1400, size=2, at=1.0)]
    ),
    "a dead letter in the turn, the last to come": Scenario(
        published=[result("a", 1400, size=3), result("b", 1400, size=3, at=0.01), broken("c", at=0.5)]
    ),
    "a turn of which all becomes dead letters": Scenario(
        published=[
            broken("a", size=2),
            *in_pieces("b", b"x" * 400, size=2, order=(0, 1), fails="upload_idle"),
        ],
        assignments=("upload.idle_seconds=3",),
    ),
    "a dead letter that says how many there are, and no more comes": Scenario(published=[broken("a", size=3)]),
    "a dead letter that says how many there are, and one more comes": Scenario(
        published=[broken("a", size=3), result("b", 1400, at=0.5)]
    ),
    "a result that has arrived and cannot be stored, for another is in its place": Scenario(
        published=[
            result("a", 1800, size=3),
            result("b", 1400, size=3, at=0.5),
            result("c", 1300, size=3, at=1.0),
        ],
        spoiled=("a",),
    ),
    "nothing but an end": Scenario(published=[end()]),
    "results of no turn": Scenario(published=[result("a", 1400, turn=""), result("b", 2400, turn="", at=0.01)]),
    "the store is away for long, the results go raw": Scenario(
        published=[result("a", 1800, size=2), result("b", 1700, size=2, at=0.02)],
        assignments=("on_store_failure=preserve_raw", *_SOON),
        away=(("store", 0.0, 5.0),),
    ),
    "the store is away for longer, and letters are tried again": Scenario(
        published=[result("a", 1400, size=2), result("b", 1400, size=2, at=0.02)],
        assignments=("turn.inline_budget=2000", *_SOON),
        away=(("store", 0.0, 9.0),),
    ),
    "the store is away for long, and what needs it is rejected": Scenario(
        published=[result("a", 1800, size=2), result("b", 1400, size=2, at=0.02)],
        assignments=("on_store_failure=reject", *_SOON),
        away=(("store", 0.0, 5.0),),
    ),
    "the stream of stubs is full for a while": Scenario(
        published=[result("a", 1400, size=2), result("b", 1400, size=2, at=0.02)],
        away=(("stubs", 0.0, 3.0),),
    ),
    "the stream of held results is full for a while": Scenario(
        published=[result("a", 1400, size=2), result("b", 1400, size=2, at=0.02)],
        away=(("held", 0.0, 3.0),),
    ),
    "a turn of results in pieces: in memory, spooled, passed on": Scenario(
        published=[
            result("a", 1400, size=4),
            *in_pieces("b", text("b", 1450).encode(), size=4, seconds=0.02),
            *in_pieces("c", text("c", 80_000).encode(), size=4, seconds=0.02, order=(2, 0, 1, 0, 3, -1)),
            *in_pieces("d", text("d", 160_000).encode(), size=4, seconds=0.1, opened=0.15),
        ],
        assignments=_LARGE,
        spool_bytes=120_000,
    ),
    "pieces that have all come before their event": Scenario(
        published=in_pieces("a", text("a", 160_000).encode(), turn="", opened=1.0, order=(-1, 3, 2, 1, 0)),
        assignments=_LARGE,
        spool_bytes=120_000,
    ),
    "producers in a turn that give up": Scenario(
        published=[
            *in_pieces("a", text("a", 160_000).encode(), size=2, seconds=0.1, failed="no"),
            *in_pieces("b", b"x" * 400, size=2, failed="no", order=(0, -1)),
        ],
        assignments=_LARGE,
        spool_bytes=120_000,
    ),
    "pieces that do not come to what was said, the last to come of their turn": Scenario(
        published=[
            result("a", 1400, size=3),
            *in_pieces(
                "b", text("b", 160_000).encode(), size=3, seconds=0.1, fails="upload_mismatch", Coat_Sha256="0" * 64
            ),
            *in_pieces("c", text("c", 800).encode(), size=3, order=(0, 1, 3, -1), fails="upload_idle"),
        ],
        assignments=(*_LARGE, "upload.idle_seconds=3"),
        spool_bytes=120_000,
    ),
    "events of uploads that come again, once all of these is gone": Scenario(
        published=[
            *again(in_pieces("a", text("a", 1400).encode(), size=2), at=10.0),
            *again(in_pieces("b", b"x" * 400, size=2, failed="no", order=(0, -1)), at=10.0),
            *again(in_pieces("c", text("c", 80_000).encode(), turn="", seconds=0.1), at=0.35),
        ],
        assignments=(*_LARGE, "upload.idle_seconds=3"),
    ),
    "the store is away while pieces come": Scenario(
        published=[
            *in_pieces("a", text("a", 160_000).encode(), size=2, seconds=0.5),
            *in_pieces("b", text("b", 80_000).encode(), size=2),
        ],
        assignments=(*_LARGE, *_SOON),
        away=(("store", 1.0, 9.0),),
        spool_bytes=120_000,
    ),
}


def random_scenario(seed: int) -> Scenario:
    """Some turns of every kind, published over some seconds, in any order, some of it twice.

    Turns of one name in two sessions, or one after the other in one, and results of no turn.
    """
    chosen = random.Random(f"scenario {seed}")
    published: list[Published] = []
    for turn in range(chosen.randint(1, 3)):
        at = chosen.choice(["s", "s", "other"]), chosen.choice(["t0", f"t{turn}", f"t{turn}", ""])
        published += _random_turn(chosen, *at, chosen.choice([0.05, 5.0, 90.0]))
    whole = [one for one in published if not one.is_of_upload]
    published += [msgspec.structs.replace(one, at=chosen.random() * 100) for one in whole if chosen.random() < 0.1]
    away = tuple(
        (name, start := chosen.random() * 20, start + chosen.choice([1.0, 15.0, 60.0]))
        for name in ("store", "held", "stubs", "dlq")
        if chosen.random() < 0.15
    )
    policy = chosen.choice(["preview_only", "preserve_raw", "reject"])
    return Scenario(
        published=published,
        assignments=(
            f"turn.inline_budget={chosen.choice([0, 1500, 3000, 5000])}",
            f"on_store_failure={policy}",
            f"turn.deadline_seconds={chosen.choice([5, 60])}",
            "upload.idle_seconds=20",
            *_LARGE,
        ),
        away=away,
        workers=chosen.randint(1, 4),
        spool_bytes=100_000,
    )


def _random_turn(chosen: random.Random, session: str, turn: str, seconds: float) -> list[Published]:
    count = chosen.randint(1, 5)
    said = chosen.choice([None, count, count, count, count + 1, max(1, count - 1)])
    published = []
    for number in range(count):
        at, call = chosen.random() * seconds, f"c{chosen.randrange(count)}" if chosen.random() < 0.1 else f"c{number}"
        if chosen.random() < 0.1:
            published.append(broken(call, at=at, turn=turn, session=session, size=said))
            continue
        size = chosen.choice([said, said, said, None, chosen.randint(1, 6)]) if chosen.random() < 0.3 else said
        if chosen.random() < 0.15:
            published += _random_upload(chosen, call, at, turn, size, session)
            continue
        chars = chosen.choice([20, 900, 1200, 1200, 1400, 1800])
        content = chosen.choice(["", "", "x"])
        published.append(result(call, chars, at=at, turn=turn, size=size, session=session, content=content))
    for _ in range(chosen.choice([0, 0, 1, 1, 2]) if turn and (said != count or chosen.random() < 0.3) else 0):
        size = chosen.choice([None, None, count, chosen.randint(1, 6)])
        published.append(end(at=chosen.random() * 1.2 * seconds, turn=turn, size=size, session=session))
    return published


def _random_upload(
    chosen: random.Random, call: str, at: float, turn: str, size: int | None, session: str
) -> list[Published]:
    order = [0, 1, 2, 3]
    if chosen.random() < 0.3:
        chosen.shuffle(order)
    order += chosen.choices(order, k=chosen.choice([0, 0, 1]))
    order.insert(len(order) if chosen.random() < 0.9 else chosen.randrange(len(order)), -1)
    upload = f"u{chosen.randrange(10**9)}"
    failed = "no" if chosen.random() < 0.2 and order[-1] == -1 else None
    return in_pieces(
        call,
        text(upload, chosen.choice([900, 1400, 80_000, 120_000])).encode(),
        at=at,
        seconds=chosen.choice([0.0, 0.01, 1.5]),
        opened=chosen.choice([0.0, 0.1, 4.0]),
        order=tuple(order),
        turn=turn,
        size=size,
        session=session,
        upload=upload,
        failed=failed,
    )
