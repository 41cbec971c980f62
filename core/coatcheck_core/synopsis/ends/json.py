"""JSON of which the start and the end are in hand: the shape that the start tells, if the end closes it."""

import msgspec

from coatcheck_core.synopsis.json.breaking import broken_value, is_worth_telling
from coatcheck_core.synopsis.json.documents import read_documents
from coatcheck_core.synopsis.json.faults import Fault
from coatcheck_core.synopsis.json.mending import mended
from coatcheck_core.synopsis.json.nodes import Container, Node, Span
from coatcheck_core.synopsis.json.reading import read_json
from coatcheck_core.synopsis.json.showing import MAX_EXAMPLES, Shown, step
from coatcheck_core.synopsis.json.walking import Walker
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Example, Field, JsonFacts, Member, Synopsis

from .closing import json_closing
from .document import Document, not_closed
from .halves import Halves

_OPENING = (b"{", b"[")
_SEPARATOR = b"\x1e"
_MOST_LAST_EXAMPLES = 2


def read_json_ends(halves: Halves) -> Document:
    """Of a text that begins with `{` or `[`: one value, NDJSON, or values one after another."""
    head = halves.head
    if not head.data.startswith(_OPENING, head.start):
        return Document()
    lines = _records(halves)
    return lines if lines is not None else _value(halves, head)


def _records(halves: Halves) -> Document | None:
    """NDJSON, if the end is that as well; None where it is none."""
    start = read_json(halves.head_lines).synopsis
    if start is None or start.format != "ndjson" or not isinstance(start.facts, JsonFacts):
        return None
    end = read_json(halves.tail_lines).synopsis
    if end is None or not isinstance(end.facts, JsonFacts):
        return Document()
    own = f"[{start.facts.length and start.facts.length - 1}]"
    first = [example for example in start.facts.examples if not example.path.startswith(own)]
    last = _last_examples(end)
    facts = msgspec.structs.replace(
        start.facts,
        trailing_chars_after_first_json_value=end.facts.trailing_chars_after_first_json_value,
        examples=first[: MAX_EXAMPLES - len(last)] + last,
        not_strict=start.facts.not_strict or end.facts.not_strict,
    )
    broken = end.broken if end.format == "ndjson" else None
    return Document(Synopsis(kind="json", format="ndjson", facts=facts, outcome=end.outcome), broken_at_end=broken)


def _last_examples(end: Synopsis) -> list[Example]:
    """Those of the last record, by its place from the end."""
    if end.format != "ndjson" or not isinstance(end.facts, JsonFacts) or end.facts.length is None:
        return []
    own = f"[{end.facts.length - 1}]"
    last = [example for example in end.facts.examples if example.path.startswith(own)]
    shown = [Example(path=f"[-1]{example.path[len(own) :]}", value=example.value) for example in last]
    return shown[:_MOST_LAST_EXAMPLES]


def _value(halves: Halves, head: Seen) -> Document:
    data, start, is_mended = head.data, head.start, False
    walker = Walker(data, head.step)
    node, _ = walker.value(start, probed=0)
    if walker.fault is not None and not walker.fault.is_cut and (plain := mended(data, head.step)) is not None:
        data, is_mended = plain, True
        walker = Walker(data, head.step)
        node, _ = walker.value(start, probed=0)
    fault = walker.fault
    if fault is None:
        return _documents(halves, data, start)
    if not isinstance(node, Container) or not is_worth_telling(node, fault):
        return Document()
    shown = Shown(data, is_mended=is_mended)
    broken = broken_value(head, node, fault, shown)
    if not fault.is_cut:
        return Document(wrong=broken)
    closing = json_closing(halves.tail.data, data[start])
    if closing is None:
        return Document(cut=not_closed(broken))
    facts = msgspec.structs.replace(
        _facts(shown, node, fault),
        trailing_chars_after_first_json_value=len(closing.trailing),
        not_strict=is_mended,
    )
    return Document(Synopsis(kind="json", facts=facts, outcome=closing.outcome))


def _documents(halves: Halves, data: bytes, start: int) -> Document:
    """Values one after another; a single one that ends in the start is followed by much that is something else."""
    found = read_documents(data, start, halves.step)
    is_open = found.fault is not None and found.fault.is_cut
    if found.merged.count < 2 or not (is_open or Walker(data, halves.step).blanks_end(found.end) == len(data)):
        return Document()
    closing = json_closing(halves.tail.data, data[start], is_long=False)
    whole = read_json(Seen(data[: found.end], halves.step, is_plain=True)).synopsis
    return Document() if closing is None or whole is None else Document(whole)


def _facts(shown: Shown, node: Container, fault: Fault) -> JsonFacts:
    """As of a whole value, with a mark on what goes on behind the part that was read."""
    path = fault.path[::-1]
    _take_open_items(node, path)
    facts = shown.facts(node)
    is_first_open = node.type == "array" and node.length == 0
    inside = path if node.type == "object" else path[1:] if is_first_open else []
    members = [_marked(member, inside) for member in facts.members]
    cut_scalar = "".join(map(step, path)).lstrip(".")
    has_begun = node.open_key is not None and (node.type == "array" or node.open_key in node.head)
    return msgspec.structs.replace(
        facts,
        length=node.length + has_begun,
        members=members,
        member_count=max(facts.member_count, len(members)),
        examples=[example for example in facts.examples if example.path != cut_scalar],
    )


def _take_open_items(node: Node, path: list[str | int]) -> None:
    """An array of which not even the first item is whole is told by what there is of that.

    What has not begun is no item.
    """
    for key in path:
        if not isinstance(node, Container) or key not in node.head:
            return
        opened = node.head[key]
        if node.type == "array" and node.length == 0 and isinstance(opened, Container):
            node.types.setdefault(opened.type)
            if opened.type == "object":
                node.objects.append(opened)
        if isinstance(opened, Span) and opened.start == opened.end:
            del node.head[key]
            node.open_key = None
            return
        node = opened


def _marked(member: Member, path: list[str | int]) -> Member:
    """The member on the way to what is cut, and the field below it."""
    if not path or member.name != str(path[0]):
        return member
    below = path[1:] if member.type == "object" else path[2:] if path[1:2] == [0] else []
    fields = [_marked_field(field, below) for field in member.fields]
    return msgspec.structs.replace(member, fields=fields, partial=member.length is not None)


def _marked_field(field: Field, path: list[str | int]) -> Field:
    if not path or field.name != str(path[0]):
        return field
    return msgspec.structs.replace(field, partial=field.length is not None)
