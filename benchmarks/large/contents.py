"""What the large results are made of: deterministic, of the kinds that tools give, no two megabytes alike."""

import itertools
import json
import random
import sysconfig
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

PIECE_BYTES = 1_000_000
_BLOCKS = 12
_TAB_EACH = 200
_NAMES = ("payments", "checkout", "search", "inventory", "billing", "gateway", "sessions", "mailer", "reports", "auth")
_STATES = ("Running", "Pending", "CrashLoopBackOff", "Completed", "Terminating")
_STATUSES = (200, 200, 200, 304, 404, 502)
_METHODS = ("GET", "GET", "GET", "POST", "PUT", "DELETE")
_FIRST = datetime(2026, 3, 1, tzinfo=UTC)
_SITE = Path(sysconfig.get_path("purelib"))
_STDLIB = Path(sysconfig.get_path("stdlib"))


def pieces(count: int, seed: int = 0) -> Iterator[bytes]:
    """Rows of CSV in pieces of PIECE_BYTES; blocks come again after a dozen, with another first line."""
    for number in range(count):
        first = f"{seed}-{number:08d},".encode()
        yield first + _block(number % _BLOCKS)[len(first) :]


@cache
def _block(number: int) -> bytes:
    return unlike_text(_cut(_csv_rows(random.Random(number)), PIECE_BYTES))


def unlike_text(data: bytes) -> bytes:
    """The same with a vertical tab here and there: text to us, and no text to the bundled S3 server.

    That one compresses by itself, and again at each read, what begins as text does: its own work, which would be in
    both figures, is several times that of passing bytes on.
    """
    out = bytearray(data)
    out[_TAB_EACH // 2 :: _TAB_EACH] = b"\v" * len(range(_TAB_EACH // 2, len(out), _TAB_EACH))
    return bytes(out)


def json_text(size: int) -> bytes:
    """A list of records as an API answers."""
    rng = random.Random(1)
    records = (json.dumps(_record(rng, number)) for number in itertools.count())
    return b'{"kind": "List", "items": [' + _cut((f"{one},\n" for one in records), size) + b"]}"


def csv_text(size: int) -> bytes:
    rows = _csv_rows(random.Random(2))
    return _cut(itertools.chain(("id,at,service,status,latency_ms,customer,amount\n",), rows), size)


def log_text(size: int) -> bytes:
    """Access and application logs of one service."""
    return _cut(_log_lines(random.Random(3)), size)


def code_text(size: int) -> bytes:
    """Files of Python's standard library, one after the other."""
    return _files(sorted(_STDLIB.glob("*.py")) + sorted(_STDLIB.glob("*/*.py")), size)


def prose_text(size: int) -> bytes:
    """What the standard library and the packages of this environment say of themselves."""
    found = [_STDLIB / "pydoc_data" / "topics.py", _STDLIB / "LICENSE.txt"]
    for pattern in ("*/METADATA", "*/LICENSE*", "*/licenses/LICENSE*", "*/*.md", "*/*.rst", "*/*/*.rst"):
        found += sorted(_SITE.glob(pattern))
    return _files(found, size)


CORPUS = {"json": json_text, "csv": csv_text, "code": code_text, "text": prose_text, "logs": log_text}


def _record(rng: random.Random, number: int) -> dict[str, object]:
    name = rng.choice(_NAMES)
    return {
        "metadata": {
            "name": f"{name}-{rng.randbytes(4).hex()}-{rng.randbytes(3).hex()}",
            "uid": rng.randbytes(16).hex(),
            "labels": {"app": name, "tier": rng.choice(("front", "back")), "revision": str(number // 40)},
            "creationTimestamp": _time(rng, number),
        },
        "status": {
            "phase": rng.choice(_STATES),
            "podIP": f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(256)}",
            "restarts": rng.randrange(5),
            "load": round(rng.random(), 3),
        },
    }


def _csv_rows(rng: random.Random) -> Iterator[str]:
    for number in itertools.count():
        yield (
            f"{rng.randbytes(6).hex()},{_time(rng, number)},{rng.choice(_NAMES)},{rng.choice(_STATUSES)},"
            f"{rng.lognormvariate(3, 1):.2f},customer {rng.randrange(50_000)},{rng.randrange(100_000) / 100:.2f}\n"
        )


def _log_lines(rng: random.Random) -> Iterator[str]:
    for number in itertools.count():
        at, name = _time(rng, number), rng.choice(_NAMES)
        if rng.random() < 0.7:
            path = f"/api/v1/{name}/{rng.randrange(10_000)}"
            yield (
                f'10.0.{rng.randrange(8)}.{rng.randrange(256)} - - [{at}] "{rng.choice(_METHODS)} {path} HTTP/1.1" '
                f'{rng.choice(_STATUSES)} {rng.randrange(50_000)} "-" "Mozilla/5.0 (X11; Linux x86_64)"\n'
            )
        else:
            request = rng.randbytes(8).hex()
            yield f"{at} INFO  [{name}-{rng.randrange(8)}] request {request} took {rng.randrange(900)} ms\n"


def _time(rng: random.Random, number: int) -> str:
    at = _FIRST + timedelta(seconds=number // 3, milliseconds=rng.randrange(1000))
    return at.isoformat(timespec="milliseconds")


def _cut(lines: Iterator[str], size: int) -> bytes:
    """So many whole lines that they fill the size, cut there."""
    out = bytearray()
    for line in lines:
        out += line.encode()
        if len(out) >= size:
            break
    return bytes(out[:size])


def _files(paths: list[Path], size: int) -> bytes:
    """One after the other, each content once, up to the size: all there is where that is less."""
    out, seen = bytearray(), set()
    for path in paths:
        if len(out) >= size:
            break
        data = path.read_bytes() if path.is_file() else b""
        if data and hash(data) not in seen and _is_text(data):
            seen.add(hash(data))
            out += data
    return bytes(out[:size])


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
