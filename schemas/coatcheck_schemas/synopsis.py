"""The synopsis on the wire: typed facts about a result, from which a stub is rendered in any language.

Names and excerpts are clipped and end in `…` where they were; a list is bounded and stands beside its full count, so
that a synopsis' JSON stays under `MAX_SYNOPSIS_BYTES` whatever the result. Counts are of the whole original unless a
field says otherwise. Excerpts are the result's own characters: escape them before showing them.
"""

from typing import Literal

import msgspec

MAX_SYNOPSIS_BYTES = 16_000

Kind = Literal["json", "csv", "tsv", "yaml", "xml", "code", "text", "unknown"]
JsonType = Literal["object", "array", "string", "number", "boolean", "null"]
Why = Literal["empty", "binary", "declared_type", "time_limit", "fault"]
YamlType = Literal["mapping", "sequence", "string", "number", "boolean", "null", "timestamp", "alias"]


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """A member's type; `length` counts the keys of an object or the items of an array.

    `names` are the first keys of a YAML mapping, `value` is a YAML scalar's text. `partial`: it goes on behind the part
    that was read, and so `length` counts less than there is.
    """

    name: str
    type: str
    length: int | None = None
    names: list[str] = []
    value: str | None = None
    partial: bool = False


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A child of the top level, and the level below it.

    `item_types` are the types met among an array's first 100 items; `fields` are an object's children, or those of an
    array's first object. `field_count` counts them all. `partial` is as in `Field`.
    """

    name: str
    type: str
    length: int | None = None
    item_types: list[str] = []
    fields: list[Field] = []
    field_count: int = 0
    partial: bool = False


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """A scalar: `path` as `items[0].id`, `value` as JSON text."""

    path: str
    value: str


class JsonFacts(msgspec.Struct, frozen=True, kw_only=True, tag_field="about", tag="json"):
    """`length` counts keys, items or records (null for a scalar).

    `members` are an object's children; those of the first object in an array; for NDJSON, and for several documents one
    after another, the fields of all of them.
    `trailing_chars_after_first_json_value` leaves out white space around what follows; for NDJSON it counts the last
    lines that are no records.
    `repeated_keys` counts the members of a top-level object whose key had stood before; of more than 500 members it may
    be less than there are.
    `bad_records` counts the lines between NDJSON's records that are none, `bad_lines` are the first of them, from 0.
    `not_strict`: it has NaN, Infinity or half a surrogate pair, which strict parsers refuse.
    """

    type: JsonType
    length: int | None = None
    item_types: list[str] = []
    members: list[Member] = []
    member_count: int = 0
    examples: list[Example] = []
    trailing_chars_after_first_json_value: int = 0
    repeated_keys: int = 0
    bad_records: int = 0
    bad_lines: list[int] = []
    not_strict: bool = False


class TableFacts(msgspec.Struct, frozen=True, kw_only=True, tag_field="about", tag="table"):
    """`rows` leaves out the header and blank lines; `first_row` and `last_row` are data records as they stand.

    A `headless` table has no names: its first record is data. `types` are those of the columns (`number
    boolean date text empty`), as far as the first `typed_rows` data records tell. `starts_cut` and `ends_cut`: the
    first or last record, counted in `rows`, has fewer fields than all others, as where a tool cut its output.
    """

    rows: int
    columns: int
    names: list[str]
    delimiter: str
    first_row: str | None = None
    headless: bool = False
    types: list[str] = []
    typed_rows: int = 0
    last_row: str | None = None
    starts_cut: bool = False
    ends_cut: bool = False


class YamlFacts(msgspec.Struct, frozen=True, kw_only=True, tag_field="about", tag="yaml"):
    """Of the first document: `keys` with their types (of a sequence, those of its first mapping).

    `parsed_chars` is set where only that much from the start was parsed: `length` and `key_count` are of that part.
    `document_names` are those of the first documents that name themselves, as `Deployment/web`. `skipped_lines` stand
    above what was read, and belong to something that begins before the text.
    """

    type: YamlType
    length: int
    keys: list[Field] = []
    key_count: int = 0
    documents: int = 1
    parsed_chars: int | None = None
    document_names: list[str] = []
    skipped_lines: int = 0


class Attribute(msgspec.Struct, frozen=True, kw_only=True):
    """An attribute of an XML element; of a namespace, `name` is `xmlns` or `xmlns:PREFIX`, `value` its URI."""

    name: str
    value: str


class TagCount(msgspec.Struct, frozen=True, kw_only=True):
    """How often a tag stands right under the root, and what the first such element has.

    `attributes` are its first ones of `attribute_count`; `children` are the tags right under it with their counts, the
    first of `child_tags`; `text` is what stands in it where no element does.
    """

    tag: str
    count: int
    attributes: list[Attribute] = []
    attribute_count: int = 0
    children: list["TagCount"] = []
    child_tags: int = 0
    text: str | None = None


class XmlFacts(msgspec.Struct, frozen=True, kw_only=True, tag_field="about", tag="xml"):
    """`attributes` counts the root's without its namespaces; the first of both are `root_attributes`, `namespaces`.

    `children` are the distinct tags right under the root, `child_tags` counts them up to 100,000; `elements` counts
    every element. Where `further_documents` follow the first, `elements` is of all, the rest of the first.
    `trailing_chars` counts what follows the root element and is no XML. `details` are what its format tells.
    """

    root: str
    attributes: int
    elements: int
    children: list[TagCount] = []
    child_tags: int = 0
    root_attributes: list[Attribute] = []
    namespaces: list[Attribute] = []
    namespace_count: int = 0
    further_documents: int = 0
    trailing_chars: int = 0
    details: list["Detail"] = []


class CodeFacts(msgspec.Struct, frozen=True, kw_only=True, tag_field="about", tag="code"):
    """Imports and top-level symbols as their lines stand, white space folded; of an import of several lines all of it.

    `members` are what lies one level in (methods, or statements and settings at the top), looked for only where there
    are few symbols. `symbol_lines` and `member_lines` are the 0-based lines on which they begin, as `read` takes them;
    empty where the result came from a version that did not tell.
    """

    lines: int
    imports: list[str] = []
    import_count: int = 0
    symbols: list[str] = []
    symbol_count: int = 0
    symbol_lines: list[int] = []
    members: list[str] = []
    member_count: int = 0
    member_lines: list[int] = []


class Detail(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that the finer format of a text has: `files` of a diff, `sections` of an INI file, `levels` of a log.

    `name` is a technical term in English, `count` counts all there are, `values` shows the first of them, or the most.
    """

    name: str
    count: int | None = None
    values: list[str] = []


class TextFacts(msgspec.Struct, frozen=True, kw_only=True, tag_field="about", tag="text"):
    """`opening` and `closing` are up to 500 chars with white space folded; a short text has no closing.

    `details` are what its format tells, in the order in which they are shown.
    """

    chars: int
    words: int
    lines: int
    headers: list[str] = []
    header_count: int = 0
    opening: str = ""
    closing: str = ""
    details: list[Detail] = []


class UnknownFacts(msgspec.Struct, frozen=True, kw_only=True, tag_field="about", tag="unknown"):
    """`why` nothing more is known; `chars` is null where the bytes are not UTF-8."""

    why: Why
    bytes: int
    chars: int | None = None


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """A document that is JSON or XML up to a place, and then is cut off or wrong.

    `offset` (chars) and `line` (0-based) say where in the original, as `read` takes them; `reason` in a few words.
    `read` says what could be read until there: how many items or elements, the members met at the top.
    """

    of: Literal["json", "ndjson", "xml", "yaml"]
    offset: int
    line: int
    reason: str
    read: list[Detail] = []


class Extent(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a large original the facts are from: its first `bytes` and its last `end_bytes`, of `of` in all.

    Counts in the facts are then of what was read, and so at least so many; but `chars` and `lines` of a text, `lines`
    of code and what is said of its end are of the whole, as is `lines` here.
    """

    bytes: int
    end_bytes: int
    of: int
    lines: int | None = None


Facts = JsonFacts | TableFacts | YamlFacts | XmlFacts | CodeFacts | TextFacts | UnknownFacts


class Synopsis(msgspec.Struct, frozen=True, kw_only=True):
    """`facts` tells by its `about` which of the structs above it is.

    `outcome` are the lines at the end that say how it went: an exit code, a total, a traceback's last line.
    `broken` is set where a document could be read in part only. `read` is set where not all of the original was read.
    """

    kind: Kind
    format: str | None = None
    facts: Facts | None = None
    outcome: list[str] = []
    broken: Broken | None = None
    read: Extent | None = None
