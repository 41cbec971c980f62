"""`list` for a model: a line a result, and how to go on."""

from typing import TYPE_CHECKING, Any, cast

from coatcheck_core.stub.escaping import one_line
from coatcheck_schemas.metadata import Metadata
from coatcheck_schemas.requests import MAX_LIMIT, ListReply

from .answer import ToolAnswer
from .call import Call, until_some, with_head

if TYPE_CHECKING:
    from coatcheck.client.requesting import ListFilters

_DEFAULT_LIMIT = 50
_CURSOR_CHARS = 700
_LINE_CHARS = 450
_NAME_CHARS = 60


async def list_results(call: Call, fields: dict[str, Any]) -> ToolAnswer:
    """Raises CoatcheckError."""
    given = {name: value for name, value in fields.items() if name not in ("turn_id", "cursor")}
    filters = cast("ListFilters", given)
    if "turn_id" in fields:
        filters["turn"] = fields["turn_id"]
    most = max(1, (call.room_beside(call.names["list"]) - _CURSOR_CHARS) // _LINE_CHARS)
    filters["limit"] = min(max(fields.get("limit", _DEFAULT_LIMIT), 1), most, MAX_LIMIT)

    async def ask(cursor: str | None) -> ListReply:
        return await call.client.list(call.session, cursor=cursor, **filters)

    reply = await until_some(ask, lambda reply: bool(reply.tool_results), fields.get("cursor"))
    return ToolAnswer(text=_told(call, reply))


def _told(call: Call, reply: ListReply) -> str:
    words = call.words
    more = ""
    if reply.has_more and reply.cursor is not None:
        more = words.more_by_cursor.format(tool=call.names["list"], cursor=reply.cursor)
    if not reply.tool_results:
        return with_head([words.none_yet if more else words.no_results, more])
    lines = "\n".join(_line(call, one) for one in reply.tool_results)
    return with_head([words.results.format(n=len(reply.tool_results)), more], lines)


def _line(call: Call, one: Metadata) -> str:
    is_same = one.synopsis_format in (None, one.synopsis_kind)
    return call.words.result.format(
        ref=one.ref,
        tool=one_line(one.tool_name, _NAME_CHARS),
        kind=one.synopsis_kind if is_same else f"{one.synopsis_kind}/{one.synopsis_format}",
        size=f"{one.original_bytes} bytes" if one.original_chars is None else f"{one.original_chars} chars",
        time=one.created_at,
        turn=one_line(one.turn_id, _NAME_CHARS) or call.words.without_turn,
    )
