"""The names of results in `/large_tool_result`: a call's, for its newest, and a result id.

A call's name is its id, where `%` and a byte's two hex digits stand for what a name cannot have, or would make it look
like another's: `/` and `%`, control chars, `.` and `..`, the last char of what ends as a result id does, and each `=`
of what looks shortened. A call whose segment is shortened has that for its name, one without an id `%`.
"""

import re
from urllib.parse import unquote_to_bytes

from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.filesystem import RESULTS_FOLDER
from coatcheck_schemas.refs import check_result_id
from coatcheck_schemas.segments import check_segment, decode_segment, encode_segment, is_shortened

NO_ID = "%"
_ENCODED = re.compile(r"[/%\x00-\x1f\x7f-\x9f\u2028\u2029]")
_RESULT = re.compile(r".{1,80}-[0-9a-f]{32}", re.DOTALL)
_BROKEN = re.compile(r"%(?![0-9A-Fa-f]{2})")


def call_name(segment: str) -> str:
    """The name of the call with this segment."""
    identifier = decode_segment(segment)
    if is_shortened(segment):
        return segment
    if not identifier:
        return NO_ID
    name = _ENCODED.sub(lambda found: _encoded(found[0]), identifier)
    if name in (".", ".."):
        return name.replace(".", "%2E")
    if is_shortened(name):
        name = name.replace("=", "%3D")
    return name[:-1] + _encoded(name[-1]) if _RESULT.fullmatch(name) else name


def named_result(name: str) -> tuple[str | None, str | None]:
    """What a name in the folder says: a result id, or a call's segment; both None where it says neither."""
    try:
        if _RESULT.fullmatch(name):
            return check_result_id(name), None
        if is_shortened(name):
            return None, check_segment(name)
        if name == NO_ID:
            return None, encode_segment("")
        if _BROKEN.search(name):
            return None, None
        return None, encode_segment(unquote_to_bytes(name).decode())
    except (InvalidInput, UnicodeDecodeError):
        return None, None


def call_of(result_id: str) -> str:
    """The call's segment in a well-formed result id."""
    return result_id[:-33]


def result_path(result_id: str) -> str:
    return f"{RESULTS_FOLDER}/{result_id}"


def call_path(segment: str) -> str:
    return f"{RESULTS_FOLDER}/{call_name(segment)}"


def _encoded(char: str) -> str:
    return "".join([f"%{byte:02X}" for byte in char.encode()])
