"""As whom to log in to NATS, and where that user's replies may go: one reading for the client and the workers. Pure."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import msgspec

from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.permissions import inbox_of_user
from coatcheck_schemas.servers import Servers, parse_servers

from .creds import Credentials, read_creds
from .tls import Tls, insists_on_tls

DEFAULT_INBOX = "_INBOX"

ReadFile = Callable[[], str]
"""The text of a credentials file as it is now. Raises InvalidInput where it cannot be read."""


class RenewedCredentials:
    """Credentials whose file is read anew for each connection, since what expires is replaced meanwhile.

    A file that cannot be read any more leaves those that were read last. Neither `repr` nor an error shows a secret.
    """

    def __init__(self, read: ReadFile, where: str) -> None:
        """Raises InvalidInput for what is no credentials file, or cannot be read."""
        self._read = read
        self._where = where
        self.current: Credentials = read_creds(read(), where)

    def __repr__(self) -> str:
        return repr(self.current)

    def sign(self, nonce: str) -> bytes:
        """The answer to the server's challenge, asked for first of the two."""
        self.read_again()
        return self.current.sign(nonce)

    def read_again(self) -> bool:
        """Whether the file has another token than before; that is the current one then."""
        before = self.current.token
        with suppress(InvalidInput):  # who renews it may be writing it; the server refuses the old one soon enough
            self.current = read_creds(self._read(), self._where)
        return self.current.token != before

    def give_token(self) -> bytearray:
        return self.current.give_token()

    def check_time(self, now: float) -> None:
        """Raises InvalidInput where they have expired; `now` are Unix seconds."""
        expires = self.current.claims.expires
        if expires and expires <= now:
            at = datetime.fromtimestamp(expires, UTC)
            raise InvalidInput(f"{self._where} expired at {at:%Y-%m-%dT%H:%M:%SZ}: make it anew with `coatcheck grant`")


class Login(msgspec.Struct, frozen=True, kw_only=True):
    """The servers, with user and password or token, or credentials; `inbox` is what replies go below."""

    servers: Servers
    creds: RenewedCredentials | None = None
    inbox: str = DEFAULT_INBOX
    tls: Tls | None = None

    def __str__(self) -> str:
        return str(self.servers)

    @property
    def urls(self) -> list[str]:
        return self.servers.urls

    @property
    def insists_on_tls(self) -> bool:
        """Whether nothing may be sent to a server that offers no TLS."""
        return insists_on_tls(self.servers, self.tls)

    @property
    def options(self) -> dict[str, Any]:
        """What nats-py's `connect` takes of it, the servers apart."""
        if self.creds is not None:
            who: dict[str, Any] = {"signature_cb": self.creds.sign, "user_jwt_cb": self.creds.give_token}
        else:
            who = {"user": self.servers.user, "password": self.servers.password, "token": self.servers.token}
        secured = {} if self.tls is None else {"tls": self.tls.context, "tls_handshake_first": self.tls.first}
        return {**who, **secured, "inbox_prefix": self.inbox}


def login(
    url: str,
    *,
    user: str | None = None,
    password: str | None = None,
    creds: tuple[ReadFile, str] | None = None,
    inbox_prefix: str | None = None,
    tls: Tls | None = None,
) -> Login:
    """The login for a URL, with what goes before the credentials in it; `creds` read a file, and say which.

    The inbox is the given one, else the one that the credentials allow, or that the user's name says. Raises
    InvalidInput where the URL or the file is wrong, where TLS is asked for and the URL has none, or where two logins
    are given.
    """
    servers = parse_servers(url)
    insists_on_tls(servers, tls)
    if creds is not None:
        if user or servers.user or servers.token:
            raise InvalidInput(f"a user and the credentials in {creds[1]} are both given: leave one out")
        renewed = RenewedCredentials(*creds)
        return Login(servers=servers, creds=renewed, inbox=_inbox(inbox_prefix, renewed.current.inbox), tls=tls)
    if user is not None or password is not None:
        name = user if user is not None else servers.user
        secret = password if password is not None else servers.password
        servers = msgspec.structs.replace(servers, user=name, password=secret, token=None if user else servers.token)
    return Login(servers=servers, inbox=_inbox(inbox_prefix, inbox_of_user(servers.user or "")), tls=tls)


def _inbox(given: str | None, own: str | None) -> str:
    return (given or own or DEFAULT_INBOX).rstrip(".")
