"""Files of secrets, and of settings that hold some, read in one way for client, workers and storage."""

from functools import partial
from pathlib import Path

from coatcheck_schemas.errors import InvalidInput

from .login import ReadFile

MAX_BYTES = 1024 * 1024


def read_bytes(path: str, where: str) -> bytes:
    """All that is in the file; errors begin with `where`, and show nothing of it.

    Raises InvalidInput for what cannot be read, or has no end.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # the second for a path with a zero byte
        raise InvalidInput(f"{where} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MAX_BYTES:
        raise InvalidInput(f"{where} has more than {MAX_BYTES:,} bytes")
    return data


def read_whole(path: str, where: str) -> str:
    """The file's text. Raises InvalidInput as `read_bytes` does, and for what is no text."""
    try:
        return read_bytes(path, where).decode()
    except UnicodeDecodeError:
        raise InvalidInput(f"{where} is no text (UTF-8)") from None


def read_secret(path: str, where: str) -> str:
    """A password or key, as `read_whole` without the end of its line."""
    return read_whole(path, where).rstrip("\r\n")


def reading(path: str, where: str) -> tuple[ReadFile, str]:
    """For `login`, which reads a file of credentials anew for each connection."""
    return partial(read_whole, path, where), where
