"""What tools publish in a simulation: results in one message or in pieces, and the ends of turns."""

import json
from typing import Any

import msgspec

from coatcheck_core.contents import contents_of_bytes
from coatcheck_core.uploaded import Uploaded
from coatcheck_schemas import pieces
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import CallAddress, Subjects, TurnAddress

_SUBJECTS = Subjects()
_AT_ONCE = 1e-6
"""Seconds apart, and yet in order."""


class Published(msgspec.Struct, frozen=True):
    """`uploaded` is what comes of the event of an upload, all in memory; `fails` why nothing ever comes of it."""

    at: float
    subject: str
    body: bytes
    headers: dict[str, str] = {}
    uploaded: Uploaded | None = None
    fails: str = ""

    @property
    def is_of_upload(self) -> bool:
        """Whether it is a piece, or the event of some."""
        return self.uploaded is not None or bool(self.fails) or ".chunks." in self.subject


def text(name: str, chars: int) -> str:
    """A JSON document of so many chars, another for each name: its synopsis costs little."""
    return json.dumps([name, "x" * (chars - len(json.dumps([name, ""])))])


def result(
    call: str,
    chars: int,
    *,
    at: float = 0.0,
    turn: str = "t",
    size: int | None = None,
    session: str = "s",
    content: str = "",
    **fields: Any,
) -> Published:
    """One result; those of one call, length and `content` are the same."""
    address = CallAddress(encode_segment(session), encode_segment(turn), encode_segment(call))
    body: dict[str, Any] = {"tool_name": "tool", "content": text(f"{call}{content}", chars)} | fields
    if size is not None:
        body["turn_size"] = size
    return Published(at, _SUBJECTS.results(address), msgspec.json.encode(body))


def broken(call: str, *, at: float = 0.0, turn: str = "t", session: str = "s", size: int | None = None) -> Published:
    """A result that cannot be decoded, though how many there are may be told of it."""
    address = CallAddress(encode_segment(session), encode_segment(turn), encode_segment(call))
    return Published(at, _SUBJECTS.results(address), msgspec.json.encode({"tool_name": 7, "turn_size": size}))


def end(*, at: float = 0.0, turn: str = "t", size: int | None = None, session: str = "s") -> Published:
    body: dict[str, Any] = {} if size is None else {"turn_size": size}
    address = TurnAddress(encode_segment(session), encode_segment(turn))
    return Published(at, _SUBJECTS.turn_end(address), msgspec.json.encode(body))


def in_pieces(
    call: str,
    data: bytes,
    *,
    at: float = 0.0,
    seconds: float = 0.0,
    opened: float = 0.0,
    order: tuple[int, ...] = (0, 1, 2, 3, -1),
    turn: str = "t",
    size: int | None = None,
    session: str = "s",
    upload: str = "",
    failed: str | None = None,
    fails: str = "",
    **ends: str,
) -> list[Published]:
    """A result in four pieces and a last message (-1), which come in this order, `seconds` apart from `at` on.

    Its event comes `opened` seconds after `at`. `ends` are headers of the last message that are otherwise, `failed`
    why its producer gives up, `fails` the reason of the dead letter that it comes to.
    """
    address = CallAddress(encode_segment(session), encode_segment(turn), encode_segment(call))
    upload = upload or f"u-{encode_segment(call)}"
    step = -(-len(data) // 4)
    parts = [data[step * number : step * (number + 1)] for number in range(4)]
    last = pieces.final_headers(f"{upload}-final", count=4, size=len(data), sha256=sha256_hex(data))
    if failed is not None:
        last = pieces.failed_headers(f"{upload}-failed", failed)
    last |= {name.replace("_", "-"): value for name, value in ends.items()}
    published = []
    for number, place in enumerate(order):
        body, headers = (b"", last) if place < 0 else (parts[place], pieces.piece_headers(f"{upload}-{place}", place))
        published.append(
            Published(at + number * (seconds or _AT_ONCE), _SUBJECTS.chunks(address, upload), body, headers)
        )
    event: dict[str, Any] = {"tool_name": "tool", "upload": upload}
    if size is not None:
        event["turn_size"] = size
    came = b"".join(parts[place] for place in sorted(set(order)) if place >= 0) if failed is not None else data
    uploaded = None if fails else Uploaded(contents=contents_of_bytes(came, None), error=failed)
    opening = Published(at + opened, _SUBJECTS.results(address), msgspec.json.encode(event), {}, uploaded, fails)
    return [*published, opening]


def again(upload: list[Published], *, at: float) -> list[Published]:
    """What `in_pieces` gave, and its event once more."""
    return [*upload, msgspec.structs.replace(upload[-1], at=at)]
