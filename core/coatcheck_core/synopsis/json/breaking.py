"""What a document that is cut off, or JSON only up to a place, still tells."""

from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Broken, Detail

from .documents import Documents
from .faults import Fault
from .nodes import Container, Node
from .records import Records
from .showing import Shown, step
from .walking import Walker

_LEAST_SCALARS = 10
"""`[1, 2` begins many a text that is no JSON."""
_MOST_STEPS = 12
_PLAIN_SCALARS = {"number", "boolean", "null"}


def is_worth_telling(node: Node, fault: Fault) -> bool:
    """Whether so much of it is JSON that it is hardly anything else."""
    if not isinstance(node, Container):
        return False
    if node.type == "object":
        return node.length > (0 if fault.is_cut else 1) or node.open_key is not None
    if node.length > 0 and not node.types.keys() <= _PLAIN_SCALARS:
        return True
    opened = None if node.open_key is None else node.head.get(node.open_key)
    return node.length >= _LEAST_SCALARS or (isinstance(opened, Container) and is_worth_telling(opened, fault))


def broken_value(seen: Seen, node: Node, fault: Fault, shown: Shown) -> Broken:
    offset, line = seen.place(fault.at)
    read = [*_read(node, shown), *_inside(fault)]
    return Broken(of="json", offset=offset, line=line, reason=fault.reason, read=read)


def broken_record(seen: Seen, data: bytes, records: Records) -> Broken | None:
    """Of a last line that begins like a record and is cut."""
    start = records.tail_start
    if start is None or len(records.tail_lines) > 1 or data[start : start + 1] not in (b"{", b"["):
        return None
    walker = Walker(data, seen.step)
    walker.value(start)
    if walker.fault is None or not walker.fault.is_cut:
        return None
    offset, line = seen.place(start)
    read = [Detail(name="records", count=records.merged.count), *_inside(walker.fault)]
    return Broken(of="ndjson", offset=offset, line=line, reason=f"the last record {walker.fault.reason}", read=read)


def broken_documents(seen: Seen, documents: Documents, shown: Shown) -> Broken | None:
    """Of a last document that begins behind whole ones and is cut."""
    fault = documents.fault
    if fault is None or not fault.is_cut:
        return None
    offset, line = seen.place(documents.end)
    read = [Detail(name="documents", count=documents.merged.count), *_inside(fault)]
    return Broken(of="json", offset=offset, line=line, reason=f"the last document {fault.reason}", read=read)


def _read(node: Node, shown: Shown) -> list[Detail]:
    """What stands at the top; of an array the fields of its first object."""
    if not isinstance(node, Container):
        return []
    if node.type == "object":
        is_open = node.open_key is not None and node.open_key in node.head
        return [Detail(name="keys", count=node.length + is_open, values=_members(node, shown))]
    items = [Detail(name="whole items", count=node.length)]
    if node.objects:
        first = shown.opened(node.objects[0])
        items.append(Detail(name="fields of the first", count=first.length, values=_members(first, shown)))
    return items


def _members(container: Container, shown: Shown) -> list[str]:
    return [_member(str(name), node, shown) for name, node in container.head.items()]


def _member(name: str, node: Node, shown: Shown) -> str:
    kind = shown.type(node)
    length = f"[{shown.opened(node).length}]" if kind == "array" else ""
    return clip(f"{clip(name, 50)}: {kind}{length}")


def _inside(fault: Fault) -> list[Detail]:
    """The way to what is not whole, as far as it is not too long."""
    steps = fault.path[::-1][:_MOST_STEPS]
    if not steps:
        return []
    return [Detail(name="then inside", values=[clip("".join(map(step, steps)).lstrip("."))])]
