"""Files that only their owner reads: secrets, configuration, logs."""

import os
import re
import secrets
import stat
from pathlib import Path
from typing import BinaryIO

from coatcheck_schemas.errors import CoatcheckError

PRIVATE_DIRECTORY = 0o700
PRIVATE_FILE = 0o600
LOG_BYTES = 32 * 1024 * 1024
LAST_WORDS_BYTES = 600
_DUMP_BYTES = 64 * 1024
_STACK = re.compile(r"  File \"|  \.\.\.|(?:Current thread|Thread) 0x|Extension modules: ")
_TIMEOUT = re.compile(r"Timeout \(([0-9:.]+)\)!")
"""As faulthandler writes them."""

_KINDS = {stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


class NotAFile(CoatcheckError):
    """What is at a path must be left as it is: a device, pipe, socket, link or folder."""


def private_directory(path: Path) -> Path:
    """Make the directory, with those above it, readable by its owner alone; one that is there keeps its mode."""
    path.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
    return path


def check_replaceable(path: Path) -> None:
    """Raises NotAFile for what is there and is no regular file: a rename would put one in its place.

    In that of /dev/null for the whole machine, and in that of a link where nobody looks for it.
    """
    try:
        kind = stat.S_IFMT(path.lstat().st_mode)
    except FileNotFoundError:
        return
    if kind != stat.S_IFREG:
        what = _KINDS.get(kind, "a device")
        raise NotAFile(f"{path} is {what}, which is not written to: name a new file, or a regular one")


def write_private(path: Path, text: str) -> None:
    """Write the file whole or not at all: a reader sees the old or the new, never a part. Raises NotAFile, OSError."""
    check_replaceable(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def open_log(path: Path) -> BinaryIO:
    """Open for appending: what several processes write there does not overwrite, and `trim` works while they write."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE), "ab", buffering=0)


def trim(path: Path, limit: int = LOG_BYTES) -> None:
    """Keep a log within `limit` bytes: the end of a longer one moves to `NAME.1` and the log starts anew."""
    try:
        if path.stat().st_size <= limit:
            return
    except FileNotFoundError:
        return
    write_private(path.with_name(f"{path.name}.1"), _end(path, limit // 4))
    os.truncate(path, 0)


def last_words(path: Path) -> str:
    """The last line of a log, for an error message; of a dump of all stacks, which Python ends a process with, why."""
    try:
        lines = _end(path, _DUMP_BYTES).split("\n")
    except OSError as error:
        return str(error)
    told = [line for line in lines if line.strip()]
    if not told:
        return "it logged nothing"
    last = next((line for line in reversed(told) if not _STACK.match(line)), told[-1]).strip()
    if (timeout := _TIMEOUT.fullmatch(last)) is not None:
        return f"it did not answer for {timeout[1]} (h:mm:ss), and its log shows at what it was"
    return last[-LAST_WORDS_BYTES:]


def _end(path: Path, size: int) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - size))
        return file.read(size).decode("utf-8", "replace")
