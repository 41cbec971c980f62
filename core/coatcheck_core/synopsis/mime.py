"""What a declared MIME type says: a hint, for content decides."""

from typing import Literal

Declared = Literal["json", "ndjson", "xml", "csv", "tsv"]

_DECLARED: dict[str, Declared] = {
    "application/json": "json",
    "text/json": "json",
    "application/x-ndjson": "ndjson",
    "application/ndjson": "ndjson",
    "application/jsonl": "ndjson",
    "application/x-jsonlines": "ndjson",
    "application/json-seq": "ndjson",
    "application/xml": "xml",
    "text/xml": "xml",
    "text/csv": "csv",
    "application/csv": "csv",
    "text/tab-separated-values": "tsv",
}


def declared(mime_type: str | None) -> Declared | None:
    """The kind that a MIME type with any parameters declares, or None where it declares none of ours."""
    if mime_type is None:
        return None
    essence = mime_type[:300].partition(";")[0].strip().lower()
    if essence.endswith("+json"):
        return "json"
    if essence.endswith("+xml"):
        return "xml"
    return _DECLARED.get(essence)
