"""Replacing a piece of a text by another."""

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import MAX_FILE_BYTES


def edited(text: str, old: str, new: str, *, replace_all: bool) -> tuple[str, int]:
    """The text with `old` replaced, and how often.

    Raises RequestError: `invalid_argument` where `old` is empty, is `new`, occurs nowhere, or more than once without
    `replace_all`; `too_large` where too much would come of it.
    """
    if not old:
        raise _refused("old_string is empty: give the text to replace; `write` writes a whole file")
    if old == new:
        raise _refused("old_string and new_string are the same: there is nothing to change")
    first = text.find(old)
    if first < 0:
        raise _refused("old_string occurs nowhere in the file: read it, and give the text exactly as it stands there")
    count = text.count(old)
    if not replace_all and text.find(old, first + 1) >= 0:
        raise _refused(
            f"old_string occurs {max(count, 2)} times: give more of the text around the one you mean, or replace_all",
            occurrences=max(count, 2),
        )
    # Before it is made: of a text that is one char over and over it could be very large.
    size = len(text.encode()) + count * (len(new.encode()) - len(old.encode()))
    check_size(size)
    return text.replace(old, new), count


def check_size(size: int) -> None:
    """Raises RequestError `too_large` for a file of more bytes than one may have."""
    if size > MAX_FILE_BYTES:
        raise RequestError(
            Code.TOO_LARGE,
            f"a file may have {MAX_FILE_BYTES} bytes, and this one would have {size}: split it over several files, or"
            " publish it as a result, which may be of any size",
            limit=MAX_FILE_BYTES,
        )


def _refused(message: str, **details: int) -> RequestError:
    return RequestError(Code.INVALID_ARGUMENT, message, **details)
