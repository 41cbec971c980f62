"""What greps could not search, over several replies that are shown as one."""

from typing import TypeVar

import msgspec

from coatcheck_schemas.filesystem import MAX_PASSED, GrepReply

_Reply = TypeVar("_Reply")


def with_passed_before(before: _Reply, reply: _Reply) -> _Reply:
    """The reply that a cursor led to; of a grep's with what the one before it passed over as well."""
    if not isinstance(before, GrepReply) or not isinstance(reply, GrepReply):
        return reply
    return msgspec.structs.replace(
        reply,
        passed=[*before.passed, *reply.passed][:MAX_PASSED],
        passed_count=before.passed_count + reply.passed_count,
    )
