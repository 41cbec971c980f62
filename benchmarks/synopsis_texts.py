"""Texts of every kind as real ones are, a megabyte written piece by piece and more by repeating that."""

import csv
import io
import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import msgspec

MB = 1_000_000
_ROOT = Path(__file__).resolve().parents[1]
_WORDS = sorted(set(re.findall(r"\b[A-Za-z]{1,12}\b", (_ROOT / "schemas" / "README.md").read_text())))


class Shape(msgspec.Struct, frozen=True):
    """A document is `head`, its `body` over and over, and `tail`."""

    head: str
    body: str
    tail: str = ""

    def of(self, size: int) -> bytes:
        """About that many bytes, at least a body; joined at once, so that no second copy was ever in memory."""
        body = self.body.encode()
        return b"".join([self.head.encode(), *[body] * max(size // len(body), 1), self.tail.encode()])


def _pieces(piece: Callable[[random.Random, int], str]) -> str:
    chance, pieces, left, number = random.Random(7), [], MB, 0
    while left > 0:
        pieces.append(piece(chance, number))
        left -= len(pieces[-1])
        number += 1
    return "".join(pieces)


def _sentence(chance: random.Random, least: int = 4, most: int = 18) -> str:
    return " ".join(chance.choices(_WORDS, k=chance.randint(least, most))).capitalize() + "."


def _record(chance: random.Random, number: int) -> dict[str, object]:
    return {
        "id": number,
        "node_id": f"MDU6SXNzdWU{number:08}",
        "title": _sentence(chance),
        "user": {"login": chance.choice(_WORDS), "id": chance.randrange(10**6), "site_admin": False},
        "labels": [{"name": name, "color": "d73a4a"} for name in chance.choices(_WORDS, k=2)],
        "state": chance.choice(["open", "closed"]),
        "score": round(chance.random() * 100, 2),
        "milestone": None,
        "body": _sentence(chance, 20, 60),
    }


def _json_line(chance: random.Random, number: int) -> str:
    return json.dumps(_record(chance, number))


def _row(chance: random.Random, number: int) -> list[str]:
    name = " ".join(chance.choices(_WORDS, k=2))
    return [str(number), name, chance.choice(_WORDS), f"{chance.random() * 1000:.2f}", "2024-05-01T10:00:00Z", "true"]


def _quoted(chance: random.Random, number: int) -> str:
    written = io.StringIO()
    row = [*_row(chance, number), f'"{_sentence(chance)}", she said.\nThen nothing.']
    csv.writer(written, quoting=csv.QUOTE_ALL).writerow(row)
    return written.getvalue()


def _item(chance: random.Random, number: int) -> str:
    return (
        f'  <item id="{number}" status="{chance.choice(["open", "closed"])}">\n    <title>{_sentence(chance)}</title>\n'
        f'    <price currency="EUR">{chance.random() * 100:.2f}</price>\n    <tags><tag>{chance.choice(_WORDS)}</tag>'
        f"<tag>new</tag></tags>\n    <note>{_sentence(chance)} &amp; more</note>\n  </item>\n"
    )


def _manifest(chance: random.Random, number: int) -> str:
    name = f"{chance.choice(_WORDS).lower()}-{number}"
    return (
        f"- apiVersion: apps/v1\n  kind: Deployment\n  metadata:\n    name: {name}\n    labels:\n      app: {name}\n"
        f"  spec:\n    replicas: {chance.randint(1, 9)}\n    template:\n      spec:\n        containers:\n"
        f"        - name: main\n          image: registry.example.org/{name}:1.{number}\n          ports:\n"
        "          - containerPort: 8080\n"
    )


def _paragraph(chance: random.Random, number: int) -> str:
    heading = f"{number // 12 + 1}. {_sentence(chance, 2, 4)[:-1]}\n\n" if number % 12 == 0 else ""
    lines = "\n".join(_sentence(chance, 8, 14) for _ in range(chance.randint(2, 6)))
    return f"{heading}{lines}\n\n"


def _code() -> str:
    """This project's own."""
    return "\n".join(file.read_text() for file in sorted((_ROOT / "workers").rglob("*.py")))


SHAPES: dict[str, Callable[[], Shape]] = {
    "json": lambda: Shape('[{"first": true}', _pieces(lambda *of: f",\n{_json_line(*of)}"), "]\n"),
    "ndjson": lambda: Shape("", _pieces(lambda *of: f"{_json_line(*of)}\n")),
    "csv": lambda: Shape("id,name,city,amount,at,paid\n", _pieces(lambda *of: ",".join(_row(*of)) + "\n")),
    "tsv": lambda: Shape("id\tname\tcity\tamount\tat\tpaid\n", _pieces(lambda *of: "\t".join(_row(*of)) + "\n")),
    "quoted csv": lambda: Shape('"id","name","city","amount","at","paid","note"\r\n', _pieces(_quoted)),
    "xml": lambda: Shape('<?xml version="1.0"?>\n<items xmlns="urn:example">\n', _pieces(_item), "</items>\n"),
    "yaml": lambda: Shape("apiVersion: v1\nkind: List\nitems:\n", _pieces(_manifest)),
    "code": lambda: Shape("", _code()),
    "text": lambda: Shape("", _pieces(_paragraph)),
}
"""What each is made by; one of a megabyte takes some hundred milliseconds."""
