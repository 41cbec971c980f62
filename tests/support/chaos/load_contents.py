"""Contents of results as tools give them, by a seed: text of several kinds, bytes, blocks with media, bad bodies."""

import base64
import json
import random
from collections.abc import Callable
from typing import Any

import msgspec

from coatcheck_schemas.results import encode_binary

Encoded = tuple[dict[str, str], bytes]
"""Headers and body of a message."""
_PNG = b"\x89PNG\r\n\x1a\n"
_WORDS = ("pod", "node", "error", "ready", "restart", "latency", "queue", "worker", "timeout", "build", "Ärger", "搜索")


def text(rng: random.Random, size: int) -> str:
    """About `size` bytes, never twice the same; at the least what makes it unique."""
    return rng.choice(_STYLES)(rng, size)


def _words(rng: random.Random, size: int) -> str:
    return _filled(f"{rng.randbytes(5).hex()} ", [f"{rng.choice(_WORDS)} " for _ in range(50)], size)


def _log(rng: random.Random, size: int) -> str:
    lines = [f"12:00:{n % 60:02d} {rng.choice(_WORDS)} took {rng.randrange(10_000)} ms\n" for n in range(40)]
    return _filled(f"run {rng.randbytes(5).hex()}\n", lines, size)


def _table(rng: random.Random, size: int) -> str:
    rows = [f"{rng.choice(_WORDS)},{rng.randrange(10**6)},{rng.random():.3f}\n" for _ in range(40)]
    return _filled(f"name,{rng.randbytes(5).hex()},share\n", rows, size)


def _json(rng: random.Random, size: int) -> str:
    record = {"id": rng.randbytes(5).hex(), "state": rng.choice(_WORDS), "load": rng.random()}
    return json.dumps([record, *({"n": n, "of": rng.choice(_WORDS)} for n in range(size // 26))], ensure_ascii=False)


def _line(rng: random.Random, size: int) -> str:
    return _filled(rng.randbytes(5).hex(), ["x" * 97, "搜" * 11], size)


_STYLES: tuple[Callable[[random.Random, int], str], ...] = (_words, _log, _table, _json, _line)


def _filled(head: str, pieces: list[str], size: int) -> str:
    """The head and so many of the pieces, over and over, that it has about the size."""
    round_bytes = sum(len(piece.encode()) for piece in pieces)
    whole, rest = divmod(max(0, size - len(head)), round_bytes)
    filling = "".join(pieces) * whole
    for piece in pieces:
        if rest <= 0:
            break
        filling += piece
        rest -= len(piece.encode())
    return head + filling


def as_json(tool: str, content: Any, **fields: Any) -> Encoded:
    return {}, msgspec.json.encode({"tool_name": tool, "content": content, **fields})


def as_binary(tool: str, body: bytes, message_id: str, **attributes: str) -> Encoded:
    return encode_binary(body, tool_name=tool, event_id=message_id, source="urn:example:load", **attributes)


def some_bytes(rng: random.Random, size: int) -> bytes:
    """Bytes that are no UTF-8."""
    return b"\xff\xfe" + rng.randbytes(max(8, size))


def blocks_with_media(rng: random.Random, texts: list[str]) -> tuple[list[dict[str, Any]], list[bytes]]:
    """The texts as blocks and an image among them; and the bytes of the image."""
    image = _PNG + rng.randbytes(rng.randrange(20, 20_000))
    blocks: list[dict[str, Any]] = [{"type": "text", "text": one} for one in texts]
    blocks.insert(
        rng.randrange(len(blocks) + 1),
        {"type": "image", "data": base64.b64encode(image).decode(), "mimeType": "image/png"},
    )
    return blocks, [image]


def bad_body(rng: random.Random) -> bytes:
    """What no worker can decode, whatever its settings."""
    unique = rng.randbytes(6).hex()
    return rng.choice(
        (
            b'{"tool_name": "cat", "content": "' + unique.encode(),
            b'["' + unique.encode() + b'"]',
            b'{"tool_name": "' + unique.encode() + b'"}',
            b'{"tool_name": "cat", "content": {"' + unique.encode() + b'": 1}}',
            b"\x00\x01" + unique.encode(),
        )
    )
