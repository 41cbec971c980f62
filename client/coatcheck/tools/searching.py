"""`search` for a model: passages that fit, each where it is read, and how to go on."""

from typing import TYPE_CHECKING, Any, cast

from coatcheck_core.stub.escaping import one_line
from coatcheck_schemas.refs import parse_ref
from coatcheck_schemas.requests import MAX_CONTEXT_CHARS, MAX_LIMIT, Match, SearchReply

from .answer import ToolAnswer
from .call import Call, until_some, with_head

if TYPE_CHECKING:
    from coatcheck.client.requesting import SearchOptions

_DEFAULT_LIMIT = 20
_CURSOR_CHARS = 700
_MATCH_CHARS = 80
"""The line above a passage."""
_LEAST_CHARS = 120
"""Of a passage: no more matches are asked for than have so much."""
_QUERY_CHARS = 100
_REF_CHARS = 220
_MARK = "…"


async def search(call: Call, fields: dict[str, Any]) -> ToolAnswer:
    """Raises CoatcheckError."""
    ref = None if fields.get("ref") is None else str(parse_ref(fields["ref"]))
    given = {name: value for name, value in fields.items() if name not in ("query", "ref", "cursor")}
    options = cast("SearchOptions", given)
    options["limit"] = _limit(call, fields.get("limit", _DEFAULT_LIMIT), is_in_one=ref is not None)
    if "context_chars" in options:
        options["context_chars"] = min(max(options["context_chars"], 0), MAX_CONTEXT_CHARS)

    async def ask(cursor: str | None) -> SearchReply:
        return await call.client.search(call.session, fields["query"], ref=ref, cursor=cursor, **options)

    reply = await until_some(ask, lambda reply: bool(reply.matches), fields.get("cursor"))
    sources = {match.ref for match in reply.matches}
    return ToolAnswer(
        text=_told(call, reply, ref, fields["query"]),
        source_ref=ref or (sources.pop() if len(sources) == 1 else None),
    )


def _limit(call: Call, limit: int, *, is_in_one: bool) -> int:
    each = _MATCH_CHARS + _LEAST_CHARS + (0 if is_in_one else _REF_CHARS)
    most = max(1, (call.room_beside(call.names["read"], call.names["search"]) - _CURSOR_CHARS) // each)
    return min(max(limit, 1), most, MAX_LIMIT)


def _told(call: Call, reply: SearchReply, ref: str | None, query: str) -> str:
    words = call.words
    where = words.in_session if ref is None else ref
    more = ""
    if reply.has_more and reply.cursor is not None:
        more = words.more_by_cursor.format(tool=call.names["search"], cursor=reply.cursor)
    if not reply.matches:
        nothing = words.nothing_found.format(query=one_line(repr(query), _QUERY_CHARS), where=where)
        return with_head([words.not_yet.format(where=where), more] if more else [nothing])
    n = len(reply.matches)
    is_all = reply.total is None or reply.total == n
    counted = words.found if is_all else words.found_of
    facts = [
        counted.format(n=n, total=reply.total, where=where),
        words.read_match.format(tool=call.names["read"]),
    ]
    passages, is_clipped = _passages(call, reply.matches, ref, call.room_beside(*facts, more))
    return with_head([*facts, words.clipped if is_clipped else "", more], passages)


def _passages(call: Call, matches: list[Match], ref: str | None, room: int) -> tuple[str, bool]:
    """Each under where it is, and under its original's reference where that is another; whether some are cut."""
    heads = []
    for match in matches:
        above = "" if match.ref == ref else f"{match.ref}\n"
        ref = match.ref
        at = call.words.match.format(line=match.line, offset=match.offset, length=match.length)
        heads.append(f"{above}{at}\n")
    each = (room - sum(map(len, heads)) - 2 * len(matches)) // len(matches)
    shown = [_clipped(match, max(each, 0)) for match in matches]
    text = "\n\n".join(f"{head}{passage}" for head, passage in zip(heads, shown, strict=True))
    return text, any(passage != match.snippet for passage, match in zip(shown, matches, strict=True))


def _clipped(match: Match, room: int) -> str:
    """The passage, or what lies around the start of its match, with marks where it is cut."""
    text = match.snippet
    if len(text) <= room:
        return text
    width = max(room - 2 * len(_MARK), 0)
    at = match.offset - match.snippet_offset
    start = max(0, min(at - max(width - match.length, 0) // 2, len(text) - width))
    end = start + width
    return f"{_MARK if start else ''}{text[start:end]}{_MARK if end < len(text) else ''}"
