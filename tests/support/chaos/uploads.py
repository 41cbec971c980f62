"""Results in pieces by a seed, among those of a load: how each producer behaves, and what must become of its result."""

import random
from typing import Literal

import msgspec
from tests.support.chaos import load_contents as contents

from coatcheck_schemas.refs import Ref, failed_id, result_id, sha256_hex
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import CallAddress

SESSIONS = ("pieces one", "pieces/zwei")
"""No session of an ordinary load, so that what is of pieces can be told from it."""
UPLOAD_SESSIONS = frozenset(map(encode_segment, SESSIONS))

Behaviour = Literal["whole", "repeats", "shuffles", "late", "fails", "silent", "lies"]
"""`late` opens the upload after its last piece; `lies` says another hash at the end than that of what it sent."""
BEHAVIOURS: tuple[Behaviour, ...] = ("whole", "repeats", "shuffles", "late", "fails", "silent", "lies")
LOST: frozenset[Behaviour] = frozenset({"silent", "lies"})
FAILURE = "the build was stopped: Abbruch, 中止"
_STYLES = ("text", "text", "bytes")
_BLOCK_BYTES = 200_000


class PlannedUpload(msgspec.Struct, frozen=True, kw_only=True):
    """One result of `size` bytes; what its producer sends before it fails or falls silent is all of these."""

    at: CallAddress
    ids: tuple[str, str, str]
    upload: str
    behaviour: Behaviour
    size: int
    seed: int
    is_text: bool

    def pieces(self) -> list[bytes]:
        """Of 1 to 700 kB, as the bytes happen to fall."""
        rng, data = random.Random(self.seed), self.content()
        cuts, at = [], 0
        while at < len(data):
            size = rng.randint(1_000, 700_000)
            cuts.append(data[at : at + size])
            at += size
        return cuts

    def content(self) -> bytes:
        rng = random.Random(self.seed)
        make = (lambda: contents.text(rng, _BLOCK_BYTES).encode()) if self.is_text else None
        data = bytearray()
        while len(data) < self.size:
            data += make() if make else contents.some_bytes(rng, _BLOCK_BYTES)
        if self.is_text:  # no char is cut: bytes that are no text would be another outcome
            return bytes(data[: self.size]).decode("utf-8", "ignore").encode()
        return bytes(data[: self.size])

    @property
    def is_lost(self) -> bool:
        return self.behaviour in LOST


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of one upload, once, for hashing 40 MB takes its time."""

    planned: PlannedUpload
    sha256: str
    size: int

    @property
    def name(self) -> str:
        """The last segment of its stub's subject."""
        call = self.planned.at.call
        return failed_id(call) if self.planned.is_lost else result_id(call, self.sha256)

    @property
    def ref(self) -> str:
        return str(Ref(self.planned.at.session, self.name))


def expected(planned: PlannedUpload) -> Expected:
    content = planned.content()
    return Expected(planned=planned, sha256=sha256_hex(content), size=len(content))


def plan_uploads(seed: int, *, count: int, largest: int) -> list[PlannedUpload]:
    """At least one of each behaviour where there are so many; the first has `largest` bytes, the others from 100 kB."""
    rng = random.Random(seed + 3)
    behaviours = [*BEHAVIOURS, *rng.choices(BEHAVIOURS, (6, 3, 3, 3, 2, 1, 1), k=max(0, count - len(BEHAVIOURS)))]
    planned = []
    for number, behaviour in enumerate(behaviours[:count]):
        ids = (SESSIONS[number % 2], rng.choice(("", f"turn {number}")), f"call.{number}")
        planned.append(
            PlannedUpload(
                at=CallAddress(*map(encode_segment, ids)),
                ids=ids,
                upload=f"up-{rng.randbytes(8).hex()}",
                behaviour=behaviour,
                size=largest if number == 0 else int(100_000 * (largest / 100_000) ** (rng.random() ** 2)),
                seed=rng.randrange(2**32),
                is_text=rng.choice(_STYLES) == "text",
            )
        )
    return planned
