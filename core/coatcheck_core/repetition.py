"""Structured content that says the same as the text beside it is not kept twice."""

import math
from collections.abc import Iterator
from typing import Any

import msgspec

from coatcheck_schemas.results import Received

MAX_COMPARED_BYTES = 2 * 1024 * 1024
"""Of JSON that is read to be compared, in all: as values it may take twenty times as much memory."""
_WRAPPED = "result"
"""Servers wrap what is no object as `{"result": ...}`, for structured content must be one."""
_SAFE = 2**53
_NOT_COMPARED = (ValueError, OverflowError, RecursionError)
"""What is no JSON (msgspec's errors are ValueErrors), and numbers that are too large for any reader."""


def without_repetition(received: Received) -> Received:
    """The result without structured content that repeats its text: as JSON in whatever spelling, in the whole text or
    in one of its blocks, or the texts themselves, each as it is or wrapped as `result`.

    What is too large to be compared is kept.
    """
    structured = received.structured_content
    if structured is None or len(structured) > MAX_COMPARED_BYTES:
        return received
    try:
        said = _decode(structured)
        repeats = any(_repeats(one, received) for one in _unwrapped(said))
    except _NOT_COMPARED:
        repeats = False
    return msgspec.structs.replace(received, structured_content=None) if repeats else received


def _unwrapped(said: Any) -> list[Any]:
    """A text counts only inside of an object: a bare one is no more than a text, and no structure to keep."""
    if isinstance(said, dict) and said.keys() == {_WRAPPED}:
        return [said, said[_WRAPPED]]
    return [said]


def _repeats(said: Any, received: Received) -> bool:
    if isinstance(said, str):
        return any(said == text for text in _texts(received))
    if isinstance(said, list) and said and received.blocks is not None and _is_all_blocks(said, received):
        return True
    wanted = _spelled(said) if isinstance(said, dict | list) else None
    return wanted is not None and any(wanted == _spelled(value) for value in _documents(received))


def _is_all_blocks(said: list[Any], received: Received) -> bool:
    """Whether the list is the texts of the blocks, their JSON, or the blocks as they came."""
    blocks = received.blocks or []
    if len(said) != len(blocks) or sum(len(block.raw) for block in blocks) > MAX_COMPARED_BYTES:
        return False
    for one, block in zip(said, blocks, strict=True):
        if isinstance(one, str) and one == block.text:
            continue
        if not isinstance(one, dict | list) or not _is_block(_spelled(one), block.text, block.raw):
            return False
    return True


def _is_block(wanted: bytes, text: str | None, raw: msgspec.Raw) -> bool:
    if text is not None and _opens(text) and wanted == _spelled_document(text):
        return True
    return wanted == _spelled_document(raw)


def _spelled_document(document: str | msgspec.Raw) -> bytes | None:
    try:
        return _spelled(_decode(document))
    except _NOT_COMPARED:
        return None


def _documents(received: Received) -> Iterator[Any]:
    """The JSON that the texts are, as far as it is little enough."""
    room = MAX_COMPARED_BYTES
    for text in _texts(received):
        if not _opens(text):
            continue
        room -= len(text)
        if room < 0:
            return
        try:
            yield _decode(text)
        except _NOT_COMPARED:
            continue


def _texts(received: Received) -> Iterator[str]:
    """The whole text, and that of each block where there are several."""
    if received.text is not None:
        yield received.text
    for block in received.blocks or []:
        if block.text is not None:
            yield block.text


def _opens(text: str) -> bool:
    return text.lstrip().startswith(("{", "["))


def _number(spelled: str) -> int | float:
    """`1.0` and `1e0` are the number that `1` is."""
    value = float(spelled)
    if value in (math.inf, -math.inf):
        raise ValueError("no number that can be compared")
    return int(value) if value.is_integer() and abs(value) < _SAFE else value


_DECODER = msgspec.json.Decoder(float_hook=_number)


def _decode(document: str | bytes | msgspec.Raw) -> Any:
    return _DECODER.decode(document)


def _spelled(value: Any) -> bytes:
    """One spelling of a JSON value. Compared as values, `true` would equal `1`."""
    return msgspec.json.encode(value, order="deterministic")
