"""`read` for a model: a page that fits, and where it goes on."""

import base64
from typing import Any

import msgspec

from coatcheck_schemas.refs import parse_ref
from coatcheck_schemas.requests import DEFAULT_LIMITS, Next, ReadReply, Unit

from .answer import ToolAnswer
from .call import Call, with_head

_CHARS_A_LINE = 8
"""No more lines are asked for than fit where they are as short as this; of longer ones those are shown that fit."""
_SOUGHT_CHARS = 1000
_SEEN_MATCHES = 1000


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """As much of a page as an answer has room for; `next` is None at the end, or where it is not known."""

    content: str
    next: Next | None
    is_line_cut: bool = False


async def read(call: Call, fields: dict[str, Any]) -> ToolAnswer:
    """Raises CoatcheckError."""
    ref = str(parse_ref(fields["ref"]))
    unit = unit_of(fields, "chars")
    room = call.room_beside(ref, call.names["read"])
    options = {**fields, "ref": ref, "unit": unit, "limit": fitting_limit(unit, fields.get("limit"), room)}
    page = await call.client.read(call.session, **options)
    fitted = fit(page, room)
    if fitted.is_line_cut:
        fitted = await _placed(call, ref, page, fitted, numbered=bool(fields.get("numbered")))
    return ToolAnswer(text=told(call, ref, page, fitted, tool=call.names["read"], name="ref"), source_ref=ref)


def unit_of(fields: dict[str, Any], default: Unit) -> Unit:
    """Numbers are of lines, whoever asks for them."""
    unit: Unit = fields.get("unit") or ("lines" if fields.get("numbered") else default)
    return unit


def fitting_limit(unit: Unit, limit: int | None, room: int) -> int:
    """No more than there is room for; 0 or less is all that fits."""
    most = {"chars": room, "lines": max(DEFAULT_LIMITS["lines"], room // _CHARS_A_LINE), "bytes": room // 4 * 3}[unit]
    if limit is None:
        return min(DEFAULT_LIMITS[unit], most)
    return most if limit <= 0 else min(limit, most)


def fit(page: ReadReply, room: int) -> Fitted:
    """Whole lines of what is too long; of a first line that is longer than all the room, its start."""
    if len(page.content) <= room:
        return Fitted(content=page.content, next=page.next)
    end = page.content.rfind("\n", 0, room) + 1
    if end == 0:
        return Fitted(content=page.content[:room], next=None, is_line_cut=True)
    kept = page.content[:end]
    return Fitted(content=kept, next=Next(unit="lines", offset=page.offset + kept.count("\n")))


def told(call: Call, where: str, page: ReadReply, fitted: Fitted, *, tool: str, name: str) -> str:
    """The page under its head; `name` is the argument that says what is read."""
    words = call.words
    total = {"chars": page.total_chars, "lines": page.total_lines, "bytes": page.total_bytes}[page.unit]
    if not fitted.content:
        return with_head([words.page_empty.format(where=where, offset=page.offset, total=total, unit=page.unit)])
    phrase = words.page_bytes if page.unit == "bytes" else words.page
    last = page.offset + _count(page.unit, fitted.content) - 1
    facts = [phrase.format(where=where, unit=page.unit, first=page.offset, last=last, total=total)]
    if fitted.is_line_cut:
        facts.append(words.line_cut)
    if fitted.next is not None:
        following = fitted.next
        facts.append(words.more.format(tool=tool, name=name, offset=following.offset, unit=following.unit))
    elif not fitted.is_line_cut:
        facts.append(words.end)
    return with_head(facts, fitted.content)


async def _placed(call: Call, ref: str, page: ReadReply, fitted: Fitted, *, numbered: bool) -> Fitted:
    """A line that is cut here, and not by the worker: where it goes on in chars, found by its own beginning.

    No match of a text without a line end crosses one, so the first match in that line is at its start.
    """
    line = line_shown(fitted, numbered=numbered)
    found = await call.client.search(call.session, line[:_SOUGHT_CHARS], ref=ref, context_chars=0, limit=_SEEN_MATCHES)
    at = next((match.offset for match in found.matches if match.line == page.offset), None)
    return fitted if at is None else going_on(fitted, at + len(line))


def line_shown(fitted: Fitted, *, numbered: bool) -> str:
    """What a cut line shows, without its number."""
    return fitted.content[fitted.content.find("\t") + 1 if numbered else 0 :]


def going_on(fitted: Fitted, offset: int) -> Fitted:
    """In chars, as a cut line does."""
    return msgspec.structs.replace(fitted, next=Next(unit="chars", offset=offset))


def _count(unit: Unit, content: str) -> int:
    if unit == "lines":
        return content.count("\n") + (not content.endswith("\n"))
    return len(base64.b64decode(content)) if unit == "bytes" else len(content)
