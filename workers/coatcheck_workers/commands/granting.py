"""What `coatcheck grant` makes: a user of the server's configuration, or a signed token in a credentials file."""

import fcntl
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import msgspec

from coatcheck_core.credentials.creds import write_creds
from coatcheck_core.credentials.jwts import UserClaims, user_token
from coatcheck_core.credentials.nkeys import SEED_BYTES, KeyPair, read_seed
from coatcheck_core.credentials.passwords import SALT_BYTES, hashed
from coatcheck_core.credentials.server_users import NO_USERS, ServerUser, with_user, without_user
from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.permissions import ALL_INBOXES, Permissions, Role, permissions, user_name
from coatcheck_schemas.subjects import Subjects

from ..embedded.files import check_replaceable, write_private

_What = TypeVar("_What")

PASSWORD_BYTES = 24
MAX_FILE_BYTES = 16 * 1024 * 1024

_FOR = re.compile(r"(\d{1,9})(s|m|h|d|w)")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Who is to be let in; `session` is a segment, or `""` for a role that serves all sessions."""

    role: Role
    session: str
    subjects: Subjects
    inboxes: tuple[str, ...] = (ALL_INBOXES,)

    @property
    def name(self) -> str:
        return user_name(self.role, self.session)

    @property
    def allowed(self) -> Permissions:
        return permissions(self.role, self.subjects, self.session, inboxes=self.inboxes)


def by_password(wanted: Wanted) -> tuple[ServerUser, str]:
    """The user as the server's configuration has it, with a hash, and the password, which nothing else knows."""
    password = secrets.token_hex(PASSWORD_BYTES)
    digest = hashed(password, secrets.token_bytes(SALT_BYTES))
    return ServerUser(name=wanted.name, password=digest, permissions=wanted.allowed), password


def by_token(wanted: Wanted, signer: KeyPair, account: str | None, now: datetime, expires: datetime | None) -> str:
    """The text of a credentials file, of a key that is made here."""
    key = KeyPair("user", secrets.token_bytes(SEED_BYTES))
    token = user_token(
        UserClaims(name=wanted.name, public=key.public),
        wanted.allowed,
        signer,
        account=account,
        issued=int(now.timestamp()),
        expires=None if expires is None else int(expires.timestamp()),
    )
    return write_creds(token, key)


def read_signer(path: Path) -> KeyPair:
    """The key that signs for an account. Raises InvalidInput, OSError."""
    return read_seed(_text(path), "account", str(path))


def add_user(path: Path, user: ServerUser) -> None:
    """Add it to a file of agents' users, which is made where there is none. Raises InvalidInput, NotAFile, OSError."""
    check_replaceable(path)
    with _alone(path):
        _rewrite(path, _named(path, with_user, _text(path) if path.exists() else NO_USERS, user))


def remove_user(path: Path, name: str) -> None:
    """Take it away. Raises InvalidInput where it is not there, NotAFile, OSError."""
    check_replaceable(path)
    with _alone(path):
        _rewrite(path, _named(path, without_user, _text(path), name))


def until(text: str, now: datetime) -> datetime:
    """The time that `12h`, `30d`, or RFC 3339 with a zone say. Raises InvalidInput, also for one that is over."""
    found = _FOR.fullmatch(text.strip())
    try:
        at = now + timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        at = None
    if at is None or at.tzinfo is None:
        raise InvalidInput(f"{text[:80]!r} is no time: give how long, as 12h or 30d, or RFC 3339 with a zone")
    if at <= now:
        raise InvalidInput(f"{text[:80]!r} is over already")
    return at.astimezone(UTC)


def _text(path: Path) -> str:
    with path.open("rb") as file:
        try:
            return file.read(MAX_FILE_BYTES).decode()
        except UnicodeDecodeError:
            raise InvalidInput(f"{path} is no text") from None


def _named(path: Path, change: Callable[[str, _What], str], text: str, what: _What) -> str:
    """The text as changed; an error names the file."""
    try:
        return change(text, what)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """While it is entered nobody else changes files of that folder by this command: of two grants none is lost."""
    folder = os.open(path.absolute().parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _rewrite(path: Path, text: str) -> None:
    """A server that another user runs must still be able to read it."""
    mode = path.stat().st_mode & 0o777 if path.exists() else None
    write_private(path, text)
    if mode is not None:
        path.chmod(mode)
