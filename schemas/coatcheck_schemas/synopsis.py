"""The synopsis on the wire."""

from typing import Literal

import msgspec

Kind = Literal["json", "csv", "tsv", "yaml", "xml", "code", "text", "unknown"]


class Synopsis(msgspec.Struct, frozen=True, kw_only=True):
    kind: Kind
    format: str | None = None
