"""`connect`: whom to log in as, and where, from arguments, the environment or a `coatcheck up` that runs here."""

import os
import re
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from coatcheck_core.credentials.login import Login, ReadFile, login
from coatcheck_core.credentials.secret_files import reading
from coatcheck_core.credentials.tls import Tls
from coatcheck_core.credentials.tls_files import TlsFiles, context_of, storage_tls_of, tls_of
from coatcheck_schemas.errors import Code, InvalidInput, RequestError
from coatcheck_schemas.subjects import DEFAULT_PREFIX, Subjects

from .client import Client
from .connection import Connection

if TYPE_CHECKING:
    from coatcheck_core.settings.model import NatsSettings, StorageSettings

GivenTls = ssl.SSLContext | str | os.PathLike[str]
"""A context of one's own, or the PEM file of the authorities to trust."""
CONNECT_SECONDS = 5.0

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
    tls: GivenTls | None = None,
    storage_tls: GivenTls | None = None,
    name: str = "coatcheck",
    connect_seconds: float | None = None,
) -> AsyncIterator[Client]:
    """A client that is connected, and closed at the end of the block; a connection that breaks comes back by itself.

    `url` is one NATS URL or several, comma-separated. Without it the `COATCHECK_...` environment counts, then a
    `coatcheck up` that runs on this machine. `creds` is a NATS credentials file, read anew for each connection.
    `prefix` is the subjects' first segment (`coat`); `inbox_prefix` where replies go, by default what the credentials
    allow, or what the name of a user that `coatcheck grant` made says. `tls` is the PEM file of the authorities that
    sign the servers' certificates, or an `ssl.SSLContext`: with it, or a `tls://` URL, nothing is sent in the clear;
    `storage_tls` the same for object storage, for `upload`. Raises RequestError (`unavailable`) where NATS
    does not let us in within `connect_seconds` (by default 5, but about 1 where nothing listens at the address),
    InvalidInput where an argument or a file is wrong, ConfigError for the environment.
    """
    securing = None if tls is None else Tls(context=_context(tls, "tls"))
    store = None if storage_tls is None else _context(storage_tls, "storage_tls")
    if url is None:
        nats, storage = _configured()
        who, prefix = login_of(nats, user, password, creds, inbox_prefix, securing), prefix or nats.prefix
        store = store or storage_tls_of(storage)
    else:
        reading = None if creds is None else _reading(creds)
        who = login(url, user=user, password=password, creds=reading, inbox_prefix=inbox_prefix, tls=securing)
    async with connected(who, prefix, name, connect_seconds, store) as client:
        yield client


@asynccontextmanager
async def connected(
    who: Login,
    prefix: str | None = None,
    name: str = "coatcheck",
    connect_seconds: float | None = None,
    storage_tls: ssl.SSLContext | None = None,
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
        yield Client(connection, subjects, storage_tls)
    finally:
        await connection.close()


def login_of(
    nats: "NatsSettings",
    user: str | None = None,
    password: str | None = None,
    creds: str | os.PathLike[str] | None = None,
    inbox_prefix: str | None = None,
    tls: Tls | None = None,
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
    securing = tls or tls_of(nats)
    return login(nats.url, user=user, password=password, creds=reading, inbox_prefix=inbox, tls=securing)


def _context(given: GivenTls, name: str) -> ssl.SSLContext:
    if isinstance(given, ssl.SSLContext):
        return given
    return context_of(TlsFiles(ca_file=os.fspath(given), name=f"{name}: the file"))


def _reading(path: str | os.PathLike[str]) -> tuple[ReadFile, str]:
    file = os.fspath(path)
    return reading(file, f"the credentials file {file}")


def _configured() -> "tuple[NatsSettings, StorageSettings]":
    """What the environment or a running `coatcheck up` says."""
    from coatcheck.discovery import lay_ready_file, missing_server
    from coatcheck_core.settings import load

    settings = lay_ready_file(*load(environ=os.environ))[0]
    if not settings.nats.url:
        raise RequestError(Code.UNAVAILABLE, missing_server())
    return settings.nats, settings.storage
