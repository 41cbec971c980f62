"""A load by a seed: mixed results in turns of every kind, and what must become of each, known before it is published.

The plan speaks the words of the contract alone (schemas/README.md); it decides nothing but what is decided by a result
or a turn alone.
"""

import random
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from tests.support.chaos import load_contents as contents

from coatcheck_core.settings import Settings
from coatcheck_schemas.events import SettledBy
from coatcheck_schemas.refs import Ref, failed_id, result_id, sha256_hex
from coatcheck_schemas.segments import encode_segment, is_shortened
from coatcheck_schemas.subjects import CallAddress, TurnAddress

PINNED_TOOL = "pinned"
"""A tool that the settings never offload."""
SESSIONS = ("s1", "thread:42/a b", "Ünïcode 会话", "long-" + "x" * 200)
STRAY_SUBJECTS = ("results.s1.t1", "results.s1.t=41.c1", "results.s1.=FF.c1", "results.s1.t1.a.b", "turns.s1.=2e.end")
"""Below the prefix: what names no call and no turn."""

Shape = Literal["none", "open", "sized", "both", "partly", "differing", "end", "end_sized", "over", "under"]
"""How a turn says its size: each of its results, and an end, some, each another; its end, without or with it; wrongly.

`none` is no turn, `open` one whose size nobody says.
"""
SHAPES: tuple[Shape, ...] = ("sized", "open", "both", "partly", "end", "end_sized", "over", "under", "differing")
_WEIGHTS = (34, 14, 6, 8, 12, 8, 6, 6, 6)
_SIZES = ((10, 200, 30), (200, 2_000, 25), (2_000, 8_000, 22), (8_000, 20_000, 13), (20_000, 60_000, 7))
_LARGEST = (60_000, 300_000, 3)


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """One result. `original` are its bytes, None for a bad one, which becomes a dead letter.

    It is published `copies` times under one message id, and `again` times more under others. `media` are its parts
    that are no text, in their order, structured content last. `source` is what it is a read of.
    """

    at: CallAddress
    ids: tuple[str, str, str]
    headers: dict[str, str]
    body: bytes
    original: bytes | None
    tool: str
    media: tuple[bytes, ...] = ()
    structured: bool = False
    source: str | None = None
    copies: int = 1
    again: int = 0

    @property
    def name(self) -> str:
        """The last segment of its stub's subject."""
        return failed_id(self.at.call) if self.original is None else self.result_id

    @property
    def result_id(self) -> str:
        return result_id(self.at.call, self.sha256)

    @property
    def sha256(self) -> str:
        return sha256_hex(self.original or b"")

    @property
    def ref(self) -> str:
        return str(Ref(self.at.session, self.result_id))

    @property
    def text(self) -> str | None:
        """None for bytes that are no text, and for a bad one."""
        try:
            return None if self.original is None else self.original.decode()
        except UnicodeDecodeError:
            return None


class PlannedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn with its results, each only once.

    `settled_by` is empty where no manifest may come; `received` bounds what its manifest may say. `end` is published
    once all results are, `ends` times, each under a message id of its own.
    """

    at: TurnAddress
    shape: Shape
    results: list[Planned]
    end: bytes | None = None
    ends: int = 1
    settled_by: tuple[SettledBy, ...] = ()
    received: tuple[int, int] = (0, 0)


class Stray(msgspec.Struct, frozen=True):
    """A message that can only become a dead letter, without a stub; both subjects are below the prefix."""

    subject: str
    body: bytes
    letter: str


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """All that is published."""

    seed: int
    settings: Settings
    turns: list[PlannedTurn]
    strays: list[Stray]

    @property
    def results(self) -> list[Planned]:
        return [result for turn in self.turns for result in turn.results]

    @property
    def messages(self) -> int:
        """The most that may have been stored of what is published once each."""
        ends = sum(turn.ends for turn in self.turns if turn.end is not None)
        return sum(result.copies + result.again for result in self.results) + ends + len(self.strays)


def plan_load(settings: Settings, seed: int, *, results: int, turns: int, largest_turn: int = 40) -> Plan:
    """About `results` results in `turns` turns, a twelfth of them in none; the same for the same arguments.

    At least one turn is of each shape as soon as there are so many, one has a single result and one `largest_turn`.
    """
    rng = random.Random(seed)
    without = results // 12 if turns else results
    sizes = _turn_sizes(rng, results - without, turns, largest_turn)
    shapes = [*SHAPES, *rng.choices(SHAPES, _WEIGHTS, k=max(0, turns - len(SHAPES)))][:turns]
    rng.shuffle(shapes)
    planner = _Planner(settings, rng)
    planned = []
    for number, (shape, size) in enumerate(zip(shapes, sizes, strict=True)):
        # Few turn ids in many sessions: the same turn of two sessions has nothing in common.
        session = SESSIONS[number % len(SESSIONS)]
        planned.append(planner.turn(session, f"turn {number // len(SESSIONS)}", shape, size))
    for session in SESSIONS:
        planned.append(planner.turn(session, "", "none", without // len(SESSIONS)))
    strays = [Stray(subject, contents.bad_body(rng), "dlq.=.=.=") for subject in STRAY_SUBJECTS]
    for one in [one.at for one in planned if one.shape == "open"][:3]:
        # An end that nobody can read: its turn goes on as if it had not come.
        strays.append(
            Stray(f"turns.{one.session}.{one.turn}.end", b'{"turn_size": ', f"dlq.{one.session}.{one.turn}.end")
        )
    return Plan(seed=seed, settings=settings, turns=planned, strays=strays)


def _turn_sizes(rng: random.Random, results: int, turns: int, largest: int) -> list[int]:
    """Sizes that differ, of this sum where that leaves each other turn two; one is the least and one the largest."""
    mean = max(2, (results - 1 - largest) // max(1, turns - 2))
    sizes = [1, largest, *(rng.randint(max(2, mean // 2), mean) for _ in range(turns - 2))][:turns]
    while turns > 2 and sum(sizes) < results:
        sizes[rng.randrange(2, turns)] += 1
    return sizes


class _Planner:
    def __init__(self, settings: Settings, rng: random.Random) -> None:
        self._settings = settings
        self._rng = rng
        self._plain: dict[str, list[Planned]] = {}
        """By session, results that are a text and nothing else: they may come again in another turn."""

    def turn(self, session: str, turn: str, shape: Shape, size: int) -> PlannedTurn:
        said = self._said_sizes(shape, size)
        results: list[Planned] = []
        for number in range(size):
            results.append(self._result((session, turn, self._call(number)), said[number], results))
        end: bytes | None = None
        if shape in ("end", "end_sized", "both"):
            end = msgspec.json.encode({"turn_size": size} if shape == "end_sized" else {})
        ends = self._rng.choice((1, 1, 2))
        at = TurnAddress(encode_segment(session), encode_segment(turn))
        heard = [one for one, result in zip(said, results, strict=True) if one and result.original is not None]
        settled_by, received = _settling(shape, size, heard)
        return PlannedTurn(
            at=at, shape=shape, results=results, end=end, ends=ends, settled_by=settled_by, received=received
        )

    def _said_sizes(self, shape: Shape, size: int) -> Sequence[int | None]:
        """The turn_size that each result bears."""
        match shape:
            case "sized" | "both":
                return [size] * size
            case "partly":
                return [size if number == size - 1 or self._rng.random() < 0.4 else None for number in range(size)]
            case "differing":
                return [max(1, size - self._rng.choice((0, 0, 1, 2))) for _ in range(size - 1)] + [size]
            case "over":
                return [size + 2] * size
            case "under":
                return [max(1, size - 2)] * size
        return [None] * size

    def _call(self, number: int) -> str:
        """Ids as frameworks make them, the same in every turn."""
        return self._rng.choice((f"call_{number}", f"list_dir:{number}", f"toolu.{number}/" + "y" * 100))

    def _result(self, ids: tuple[str, str, str], turn_size: int | None, before: list[Planned]) -> Planned:
        """A result of its own; or one of another turn over again; or a call over again that has another result."""
        rng = self._rng
        dice = rng.random()
        earlier = self._plain.setdefault(ids[0], [])
        text = None
        if dice < 0.03 and earlier:
            one = rng.choice(earlier)
            if all(one.name != other.name for other in before):
                text, ids = one.text, (*ids[:2], one.ids[2])
        elif dice < 0.06 and before:
            ids = before[-1].ids
        # Two bad bodies of one call are one `failed` stub; which of them is told is nobody's promise.
        may_fail = all(ids != other.ids for other in before)
        at = CallAddress(*map(encode_segment, ids))
        # An id that its segment says back may be left out; one that was shortened may not.
        named = is_shortened(at.session) or is_shortened(at.turn) or is_shortened(at.call) or rng.random() < 0.3
        fields: dict[str, Any] = dict(zip(("session_id", "turn_id", "call_id"), ids, strict=True)) if named else {}
        if turn_size is not None:
            fields["turn_size"] = turn_size
        made = _made("cat", text, text, fields) if text is not None else self._made(fields, before, may_fail)
        dice = rng.random()
        planned = Planned(at=at, ids=ids, copies=2 if dice < 0.06 else 1, again=int(0.06 < dice < 0.12), **made)
        if planned.tool == "cat" and planned.original is not None:
            earlier.append(planned)
        return planned

    def _made(self, fields: dict[str, Any], before: list[Planned], may_fail: bool) -> dict[str, Any]:
        """What is published of a result, by one of the ways in which results come."""
        rng = self._rng
        sources = [one.ref for one in before if one.original is not None]
        dice = rng.random()
        size = self._size()
        if dice < 0.025 and may_fail:
            return {"headers": {}, "body": contents.bad_body(rng), "original": None, "tool": ""}
        if dice < 0.06:
            data = contents.some_bytes(rng, min(size, 120_000))
            return self._binary("dump", data, fields)
        if dice < 0.14:
            return self._binary("cat", contents.text(rng, size).encode(), fields)
        if dice < 0.20:
            texts = [contents.text(rng, size // 2), contents.text(rng, size // 2)]
            blocks, media = contents.blocks_with_media(rng, texts)
            return _made("query", blocks, "\n".join(texts), fields, media=tuple(media))
        if dice < 0.24:
            structured = {"rows": rng.randrange(10**9), "of": "x" * rng.randrange(2_000)}
            text = f"rows: {contents.text(rng, min(size, 30_000))}"
            extra = {**fields, "structured_content": structured}
            return _made("query", text, text, extra, media=(msgspec.json.encode(structured),), structured=True)
        if dice < 0.27 and sources:
            source = rng.choice(sources)
            text = contents.text(rng, min(size, 3_000))
            made = _made(self._settings.retrieval.read_tool, text, text, {**fields, "source_ref": source})
            return {**made, "source": source}
        if dice < 0.30:
            text = contents.text(rng, min(size, 12_000))
            return _made(PINNED_TOOL, text, text, fields)
        text = contents.text(rng, size)
        return _made("cat", text, text, fields)

    def _size(self) -> int:
        low, high, _ = self._rng.choices(buckets := (*_SIZES, _LARGEST), [weight for *_, weight in buckets])[0]
        return self._rng.randint(low, high)

    def _binary(self, tool: str, data: bytes, fields: dict[str, Any]) -> dict[str, Any]:
        attributes = {name.replace("_", ""): str(value) for name, value in fields.items()}
        headers, body = contents.as_binary(tool, data, self._rng.randbytes(8).hex(), **attributes)
        return {"headers": headers, "body": body, "original": data, "tool": tool}


def _made(
    tool: str,
    content: Any,
    text: str,
    fields: dict[str, Any],
    *,
    media: tuple[bytes, ...] = (),
    structured: bool = False,
) -> dict[str, Any]:
    headers, body = contents.as_json(tool, content, **fields)
    return {
        "headers": headers,
        "body": body,
        "original": text.encode(),
        "tool": tool,
        "media": media,
        "structured": structured,
    }


def _settling(shape: Shape, size: int, heard: list[int]) -> tuple[tuple[SettledBy, ...], tuple[int, int]]:
    """How the turn may be settled, and the least and the most results that its manifest may count.

    `heard` are the sizes that its results say, but for the bad ones, which say nothing.
    """
    match shape:
        case "end":
            return ("end",), (size, size)
        case "both":
            return ("size", "end"), (size, size)
        case "end_sized":
            return ("size",), (size, size)
        case "sized" | "partly" if heard:
            return ("size",), (size, size)
        case "over" if heard:
            return ("deadline",), (size, size)
        case "under" | "differing" if heard:
            return ("size",), (min(heard), size)
    return (), (0, 0)
