"""Texts whose MIME type is declared, rightly and wrongly."""

import json
from collections.abc import Iterator
from pathlib import Path

from .texts import Label, Source

_UNPARSABLE = Label.parse("unknown/*")


def hinted_sources() -> Iterator[Source]:
    """Declared JSON and XML that is broken is unknown; what content says goes before any other declaration."""
    yield Source(name="nothing", label=Label.parse("unknown"), data=b"", key=b"nothing")
    for at, path in enumerate(sorted(Path("/usr/share/iso-codes/json").glob("*.json"))):
        text = path.read_text()
        text = text[: min(6000, len(text) - 200)]
        yield _declared(f"{path} cut", text, "application/json", _UNPARSABLE)
        if at % 2:
            yield _declared(
                f"{path} cut, as a problem", text[:600], "application/problem+json; charset=utf-8", _UNPARSABLE
            )
    for at, path in enumerate(sorted(Path("/usr/share/mime/packages").glob("*.xml"))):
        yield _declared(
            f"{path} cut", path.read_text()[:-100][:5000], "application/xml" if at % 2 else "text/xml", _UNPARSABLE
        )
    for name in ("true", "42", '"a sentence"', "null", "[]", "{}"):
        yield _declared(f"the value {name}", name, "application/json", Label.parse("json"))
    for number in range(4):
        record = json.dumps({"number": number, "items": [number] * 5, "name": f"item {number}"}, indent=number or None)
        yield _declared(f"record {number} declared as text", record, "text/plain", Label.parse("json"))
        prose = f"No such item: {number}. The server said that it knows of {number + 1} items, and not of this one.\n"
        yield _declared(f"message {number} declared as JSON", prose, "application/json", _UNPARSABLE)
        plain = (
            f"The server said: no such item {number}.\nIt may have been deleted meanwhile; ask for the list again.\n"
        )
        yield _declared(f"message {number} declared as CSV", plain, "text/csv", Label.parse("text"))


def _declared(name: str, text: str, mime_type: str, label: Label) -> Source:
    return Source(name=name, label=label, data=text.encode(), key=name.encode(), mime_type=mime_type)
