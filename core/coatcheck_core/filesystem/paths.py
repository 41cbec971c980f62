"""Paths of a session's files, and the names under which they are stored."""

import hashlib
import re
from urllib.parse import unquote_to_bytes

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import MAX_PATH_CHARS, RESULTS_FOLDER

ROOT = "/"
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_PLAIN_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_STORED = re.compile(r"(?:[A-Za-z0-9_-]|=[0-9A-F]{2})+")
_LONGEST_NAME = 200
"""Of a stored name: a folder of a disk takes 255 bytes, a key of S3 1024 in all."""
_SHORTENED_HEAD_CHARS = 100
"""So much of a longer name stands in it, a char less where that would cut an escape."""
_SHORTENED = re.compile(r"(?:[A-Za-z0-9_-]|=[0-9A-F]{2})+==[0-9a-f]{64}")


def normalized(path: str) -> str:
    """The one way to write a path: it begins with `/`, and has neither `.` nor an empty name, nor a `/` at its end.

    Raises RequestError `invalid_argument` for `..`, which leads out of reach, for control chars, and over 2000 chars
    after the first `/`.
    """
    if (length := len(path.removeprefix(ROOT))) > MAX_PATH_CHARS:
        raise _refused(f"path may have {MAX_PATH_CHARS} chars after its first /, and this one has {length}")
    if (control := _CONTROLS.search(path)) is not None:
        raise _refused(f"path has the control char {control[0]!r} at {control.start()}: leave it out", path)
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise _refused(f"path has half of a surrogate pair at {error.start}, which is no char: leave it out") from None
    names = [name for name in path.split("/") if name not in ("", ".")]
    if ".." in names:
        raise _refused("path has a '..': say it from the root '/', beyond which there is nothing", path)
    return ROOT + "/".join(names)


def file_path(path: str) -> str:
    """The path of a file to write. Raises RequestError `invalid_argument` where it can be none's."""
    whole = normalized(path)
    if whole == ROOT or path.endswith(("/", "/.")):
        raise _refused("path names a folder: give that of a file", path)
    if is_below(whole, RESULTS_FOLDER):
        raise _refused(f"{RESULTS_FOLDER} holds tool results and is read-only: write anywhere else", path)
    return whole


def is_below(path: str, folder: str) -> bool:
    """Whether a normalized path is the folder itself or lies in it, however deep."""
    return folder == ROOT or path == folder or path.startswith(f"{folder}/")


def ancestors(path: str) -> list[str]:
    """The folders that a normalized path lies in, but for the root."""
    return [path[:at] for at, char in enumerate(path) if char == "/" and at]


def child_of(path: str, folder: str) -> tuple[str, bool] | None:
    """What of a folder's own is, or holds, this path, and whether it holds it; None where it lies elsewhere."""
    head = folder if folder == ROOT else f"{folder}/"
    if not path.startswith(head) or path == folder:
        return None
    name, slash, _ = path[len(head) :].partition("/")
    return head + name, bool(slash)


def stored_name(path: str) -> str:
    """One name for a normalized path: without the first `/`, and a byte that is no letter, digit, `_` or `-` as `=XX`.

    Over 200 chars it is its head, `==` and the sha256 of the path. Different paths never share a name.
    """
    raw = path[1:].encode()
    name = _escaped(raw)
    return name if len(name) <= _LONGEST_NAME else f"{_head(name)}=={hashlib.sha256(raw).hexdigest()}"


def names_begin(folder: str) -> str:
    """With what the stored names of all files below a folder begin; those of others may, too."""
    if folder == ROOT:
        return ""
    begin = _escaped(f"{folder[1:]}/".encode())
    return begin if len(begin) <= _SHORTENED_HEAD_CHARS else _head(begin)


def is_shortened_name(name: str) -> bool:
    """Whether the path is not in the name, but in what is stored under it."""
    return _SHORTENED.fullmatch(name) is not None


def path_of_name(name: str) -> str | None:
    """The path that a stored name says; None where it says none of ours, or is shortened."""
    if not _STORED.fullmatch(name):
        return None
    try:
        path = ROOT + unquote_to_bytes(name.replace("=", "%")).decode()
        return path if normalized(path) == path and stored_name(path) == name else None
    except (UnicodeDecodeError, RequestError):
        return None


def _escaped(raw: bytes) -> str:
    return "".join([chr(byte) if byte in _PLAIN_BYTES else f"={byte:02X}" for byte in raw])


def _head(name: str) -> str:
    """What of a name over 200 chars stands in the shortened one."""
    return re.sub("=.?$", "", name[:_SHORTENED_HEAD_CHARS])


def _refused(message: str, path: str = "") -> RequestError:
    return RequestError(Code.INVALID_ARGUMENT, f"{message}{f': {path[:200]!r}' if path else ''}")
