"""`connect`: whom to log in as, and where, from arguments, the environment or a `coatcheck up` that runs here."""

import os
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from coatcheck_core.credentials.login import Login, ReadFile, login
from coatcheck_schemas.errors import Code, InvalidInput, RequestError
from coatcheck_schemas.subjects import DEFAULT_PREFIX, Subjects

from .client import Client
from .connection import Connection

if TYPE_CHECKING:
    from coatcheck_core.settings.model import NatsSettings

CONNECT_SECONDS = 5.0
MAX_CREDS_BYTES = 1024 * 1024

_PREFIX = re.compile(r"[A-Za-z0-9_-]+")


@asynccontextmanager
async def connect(
    url: str | None = None,
    *,
    user: str | None = None,
    password: str | None = None,
    creds: str | os.PathLike[str] | None = None,
    prefix: str | None = None,
    inbox_prefix: str | None = None,
    name: str = "coatcheck",
    connect_seconds: float | None = None,
) -> AsyncIterator[Client]:
    """A client that is connected, and closed at the end of the block; a connection that breaks comes back by itself.

    `url` is one NATS URL or several, comma-separated. Without it the `COATCHECK_...` environment counts, then a
    `coatcheck up` that runs on this machine. `creds` is a NATS credentials file, read anew for each connection.
    `prefix` is the subjects' first segment (`coat`); `inbox_prefix` where replies go, by default what the credentials
    allow, or what the name of a user that `coatcheck grant` made says. Raises RequestError (`unavailable`) where NATS
    does not let us in within `connect_seconds` (by default 5, but about 1 where nothing listens at the address),
    InvalidInput where an argument or a file is wrong, ConfigError for the environment.
    """
    if url is None:
        nats = _configured()
        who, prefix = login_of(nats, user, password, creds, inbox_prefix), prefix or nats.prefix
    else:
        reading = None if creds is None else _reading(creds)
        who = login(url, user=user, password=password, creds=reading, inbox_prefix=inbox_prefix)
    async with connected(who, prefix, name, connect_seconds) as client:
        yield client


@asynccontextmanager
async def connected(
    who: Login, prefix: str | None = None, name: str = "coatcheck", connect_seconds: float | None = None
) -> AsyncIterator[Client]:
    """As `connect`, with the login worked out."""
    subjects = Subjects(DEFAULT_PREFIX if prefix is None else prefix)
    if not _PREFIX.fullmatch(subjects.prefix):
        raise InvalidInput(f"the prefix {subjects.prefix[:100]!r} must be letters, digits, _ and - only")
    if who.creds is not None:
        who.creds.check_time(time.time())
    connection = Connection(who)
    seconds = CONNECT_SECONDS if connect_seconds is None else connect_seconds
    await connection.open(seconds, name, patient=connect_seconds is not None)
    try:
        yield Client(connection, subjects)
    finally:
        await connection.close()


def login_of(
    nats: "NatsSettings",
    user: str | None = None,
    password: str | None = None,
    creds: str | os.PathLike[str] | None = None,
    inbox_prefix: str | None = None,
) -> Login:
    """The login that the settings say; an argument goes before them, and credentials before a user.

    Raises InvalidInput, ConfigError where a file cannot be read.
    """
    from coatcheck.discovery import read_password

    if creds is None and not user:
        creds = nats.creds_file or None
    if creds is None:
        user = user or nats.user or None
        if password is None and nats.password_file:
            password = read_password(nats.password_file)
    reading = None if creds is None else _reading(creds)
    inbox = inbox_prefix or nats.inbox_prefix or None
    return login(nats.url, user=user, password=password, creds=reading, inbox_prefix=inbox)


def _reading(path: str | os.PathLike[str]) -> tuple[ReadFile, str]:
    """Reads the file each time; the first one that fails raises InvalidInput, as `login` does it."""
    where = f"the credentials file {os.fspath(path)}"

    def read() -> str:
        try:
            with Path(path).open("rb") as file:
                return file.read(MAX_CREDS_BYTES).decode()
        except OSError as error:
            raise InvalidInput(f"{where} cannot be read: {error.strerror or error}") from None
        except UnicodeDecodeError:
            raise InvalidInput(f"{where} is no text") from None

    return read, where


def _configured() -> "NatsSettings":
    """What the environment or a running `coatcheck up` says."""
    from coatcheck.discovery import lay_ready_file, missing_server
    from coatcheck_core.settings import load

    nats = lay_ready_file(*load(environ=os.environ))[0].nats
    if not nats.url:
        raise RequestError(Code.UNAVAILABLE, missing_server())
    return nats
