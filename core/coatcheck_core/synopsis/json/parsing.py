"""What the compiled parser says of a piece of text, in our words.

msgspec checks and skips what it is not asked to build: about ten times as fast as to build it all.
"""

import re
from typing import Literal, TypeVar

import msgspec
from msgspec import Raw

_T = TypeVar("_T")
Value = dict[str, Raw] | list[Raw]

RAW: msgspec.json.Decoder[Raw] = msgspec.json.Decoder(Raw)
CONTAINER: msgspec.json.Decoder[Value] = msgspec.json.Decoder(Value)
ITEMS: msgspec.json.Decoder[list[Raw]] = msgspec.json.Decoder(list[Raw])
MEMBERS: msgspec.json.Decoder[dict[str, Raw]] = msgspec.json.Decoder(dict[str, Raw])

_PLACE = re.compile(r" \(byte ([0-9]+)\)$")
_SAID = "JSON is malformed: "


class Stopped(Exception):
    """The text is not one JSON value.

    `why` is `trailing` (a value ends before `at`, and more follows there), `cut` (a value goes on behind the end),
    `wrong` (at about `at`, as `said`) or `deep` (more levels than the parser takes).
    """

    def __init__(self, why: Literal["trailing", "cut", "wrong", "deep"], at: int = 0, said: str = "") -> None:
        super().__init__(why)
        self.why, self.at, self.said = why, at, said


def parse(decoder: msgspec.json.Decoder[_T], data: bytes | memoryview) -> _T:
    """One value, with white space around it. Holds the interpreter's lock all the while. Raises Stopped."""
    try:
        return decoder.decode(data)
    except RecursionError:
        raise Stopped("deep") from None
    except msgspec.DecodeError as error:
        raise _stopped(str(error)) from None


def _stopped(message: str) -> Stopped:
    place = _PLACE.search(message)
    if place is None:
        return Stopped("cut") if "truncated" in message else Stopped("wrong", 0, message)
    at = int(place[1])
    if "trailing characters" in message:
        return Stopped("trailing", at - 1)  # counted from one here, from zero elsewhere
    return Stopped("wrong", at, message[: place.start()].removeprefix(_SAID))
