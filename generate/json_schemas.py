"""`schemas/json-schema/NAME.json`: one for each type that goes over the wire, complete in itself."""

import json
from typing import Any

import msgspec

from .samples import samples
from .structs import components
from .wire import ANSWERED, SAMPLED, SERVICE, WIRE

DIALECT = "https://json-schema.org/draft/2020-12/schema"
VERSION = "v1"


def identifier(name: str) -> str:
    return f"urn:coatcheck:schema:{VERSION}:{name}"


def documents() -> dict[str, str]:
    """The files' texts, by their names."""
    return {f"{struct.__name__}.json": _text(_document(struct)) for struct in WIRE}


def examples_of(struct: type[msgspec.Struct]) -> list[Any]:
    """Of a reply's content what stands in the samples' `ok`."""
    found = []
    for start, kind in SAMPLED.items():
        if kind is struct:
            for sample in samples(start, tuple(SAMPLED)).values():
                found.append(sample["ok"] if start in ANSWERED else sample)
    return found


def _document(struct: type[msgspec.Struct]) -> dict[str, Any]:
    name = struct.__name__
    found = components([struct], "#/$defs/{name}")
    own = found.pop(name)
    document = {"$schema": DIALECT, "$id": identifier(name), **own}
    if struct not in SERVICE:
        document["examples"] = examples_of(struct)
    return {**document, "$defs": dict(sorted(found.items()))} if found else document


def _text(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
