"""The end of a turn: no more results come in it."""

import msgspec

from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.events import MAX_TURN_SIZE, MIN_TURN_SIZE, TurnEnd
from coatcheck_schemas.subjects import Subjects, TurnAddress

from .connection import Connection
from .encoding import MESSAGE_ID_HEADER, Segment, check_whole
from .message_ids import new_message_id
from .sending import store

END_SECONDS = 15.0
"""Above what a cluster takes that must elect a stream's leader."""


def check_size(size: int | None) -> None:
    """Raises InvalidInput for a size that no turn has."""
    check_whole(size, "a turn's size")
    if size is not None and not MIN_TURN_SIZE <= size <= MAX_TURN_SIZE:
        raise InvalidInput(f"a turn has {MIN_TURN_SIZE} to {MAX_TURN_SIZE} results, not {size}: leave the size out")


async def send_end(
    connection: Connection,
    subjects: Subjects,
    session: str,
    at: TurnAddress,
    turn_id: str,
    size: int | None,
    seconds: float = END_SECONDS,
) -> None:
    """Tell the workers that a turn has no more results; returned once the stream has it. Raises RequestError."""
    check_size(size)
    end = TurnEnd(turn_size=size, session_id=None if isinstance(session, Segment) else session, turn_id=turn_id)
    headers = {MESSAGE_ID_HEADER: new_message_id()}
    await store(connection, subjects.turn_end(at), headers, msgspec.json.encode(end), seconds)
