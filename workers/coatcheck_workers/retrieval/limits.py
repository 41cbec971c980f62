"""The bounds that requests share."""

from coatcheck_schemas.errors import Code, InvalidSegment, RequestError
from coatcheck_schemas.requests import MAX_LIMIT
from coatcheck_schemas.segments import check_segment, encode_segment, is_shortened


def check_limit(limit: int, least: int = 1) -> None:
    if not least <= limit <= MAX_LIMIT:
        raise RequestError(Code.INVALID_ARGUMENT, f"limit must lie between {least} and {MAX_LIMIT}")


def turn_segment(turn_id: str) -> str:
    """A turn's segment; a shortened one stands for itself, as it does in the events of a turn whose id was not given.

    Raises InvalidId.
    """
    if is_shortened(turn_id):
        try:
            return check_segment(turn_id)
        except InvalidSegment:
            pass
    return encode_segment(turn_id)
