"""Results of any size and of every kind, each time another: what a worker is measured with."""

import csv
import io
import itertools
from collections.abc import Callable, Iterator

import msgspec
from tests.support.hostile import HOSTILE

_STRIDE = 17
"""So that some of each kind are among the first."""

Make = Callable[[int, int], bytes]
"""Of the size in bytes, about, and a number that makes it different from others."""


def _repeated(size: int, head: str, piece: Callable[[int], str], tail: str = "") -> bytes:
    """Pieces until it is that long."""

    def pieces() -> Iterator[str]:
        left = size - len(head) - len(tail)
        for number in itertools.count():
            one = piece(number)
            left -= len(one)
            if left < 0:
                return
            yield one

    return "".join([head, *pieces(), tail]).encode()


def _record(number: int) -> dict[str, object]:
    return {"id": number, "name": f"deployment-{number}", "labels": {"app": "web", "tier": "front"}, "ready": True}


def _json_line(number: int) -> str:
    return msgspec.json.encode(_record(number)).decode()


def _json(size: int, seed: int) -> bytes:
    return _repeated(size, f'{{"kind":"List","seed":{seed},"items":[{{}}', lambda n: f",{_json_line(n)}", "]}")


def _ndjson(size: int, seed: int) -> bytes:
    return _repeated(size, f'{{"seed":{seed}}}\n', lambda n: f"{_json_line(n)}\n")


def _csv(size: int, seed: int) -> bytes:
    return _repeated(size, f"id,name,city,score{seed}\n", lambda n: f"{n},name {n},Springfield,{n * 7 % 100}\n")


def _quoted_csv(size: int, seed: int) -> bytes:
    def row(number: int) -> str:
        written = io.StringIO()
        csv.writer(written, quoting=csv.QUOTE_ALL).writerow([number, f'a "note"\nno {number}', "Springfield"])
        return written.getvalue()

    return _repeated(size, f'"id","note","city{seed}"\r\n', row)


def _xml(size: int, seed: int) -> bytes:
    item = '<item id="{0}"><name>deployment {0}</name><ready>true</ready></item>\n'
    return _repeated(size, f'<list seed="{seed}">\n', item.format, "</list>\n")


def _yaml(size: int, seed: int) -> bytes:
    item = "- name: deployment-{0}\n  labels:\n    app: web\n    tier: front\n  replicas: {0}\n"
    return _repeated(size, f"seed: {seed}\nitems:\n", item.format)


def _code(size: int, seed: int) -> bytes:
    function = '\n\ndef function_{0}(value: int) -> int:\n    """Add {0}."""\n    return value + {0}\n'
    return _repeated(size, f"import os\nfrom pathlib import Path\n\nSEED = {seed}\n", function.format)


def _text(size: int, seed: int) -> bytes:
    paragraph = "The quick brown fox jumps over the lazy dog, for the {0}th time.\nIt lands, and looks around.\n\n"
    return _repeated(size, f"# Notes {seed}\n\n", paragraph.format)


def _log(size: int, seed: int) -> bytes:
    line = "2026-01-31 23:59:{1:02}.{2:03} {3} worker: request {0} took {2} ms\n"
    levels = ("INFO", "DEBUG", "WARNING", "ERROR")
    return _repeated(size, f"start {seed}\n", lambda n: line.format(n, n % 60, n % 1000, levels[n % 4]))


def _hostile(size: int, seed: int) -> bytes:
    """One after another of all inputs that are made to hurt; their frames may make them longer, up to a tenth."""
    names = sorted(HOSTILE)
    return HOSTILE[names[seed * _STRIDE % len(names)]](size)[: size + size // 10]


KINDS: dict[str, Make] = {
    "json": _json,
    "ndjson": _ndjson,
    "csv": _csv,
    "quoted csv": _quoted_csv,
    "xml": _xml,
    "yaml": _yaml,
    "code": _code,
    "text": _text,
    "log": _log,
    "hostile": _hostile,
}
