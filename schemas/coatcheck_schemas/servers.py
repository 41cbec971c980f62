"""A NATS URL taken apart: the servers without credentials, and the credentials."""

from urllib.parse import unquote, urlsplit, urlunsplit

import msgspec

from .errors import InvalidInput

SCHEMES = ("nats", "tls", "ws", "wss")
DEFAULT_PORT = 4222
_MOST_HOST_CHARS = 255


class Servers(msgspec.Struct, frozen=True, kw_only=True):
    """`urls` bear no credentials, so that no log and no error can show them."""

    urls: list[str]
    user: str | None = None
    password: str | None = None
    token: str | None = None

    def __repr__(self) -> str:
        return f"Servers({self}, user={self.user!r})"

    def __str__(self) -> str:
        return ", ".join(self.urls)


def parse_servers(text: str) -> Servers:
    """The servers of a comma-separated list of URLs; the first credentials in it go for all.

    `nats://user:password@host:4222`, or `nats://token@host`; a bare `host:port` is `nats://`. Credentials are
    percent-decoded, which nats-py does not do. Raises InvalidInput, never showing a password.
    """
    urls: list[str] = []
    credentials: tuple[str | None, str | None] = (None, None)
    for piece in filter(None, (piece.strip() for piece in text.split(","))):
        url, user, password = _parse(piece, text)
        urls.append(url)
        if user is not None and credentials == (None, None):
            credentials = (user, password)
    if not urls:
        raise InvalidInput("the NATS URL is empty; it looks like nats://HOST:4222")
    name, secret = credentials
    if secret is None:
        return Servers(urls=urls, token=name)
    return Servers(urls=urls, user=name, password=secret)


def _parse(text: str, whole: str) -> tuple[str, str | None, str | None]:
    shown = f" {text[:200]!r}" if "@" not in whole else f" at {text.rpartition('@')[2][:200]!r}" if "@" in text else ""
    try:
        url = urlsplit(text if "://" in text else f"nats://{text}")
        port = url.port
        host = url.hostname
        if "@" in f"{url.path}{url.query}{url.fragment}":
            raise ValueError("a password with a / ? or # in it: what comes before would pass for the host")
    except ValueError:
        # What urlsplit says of it may be a piece of a password: one with / # ? in it is taken for a port.
        raise InvalidInput(
            f"the NATS URL{shown} is wrong: it looks like nats://HOST:4222, or nats://USER:PASSWORD@HOST:4222 with"
            " , / : @ ? # in a password as %XX"
        ) from None
    if url.scheme not in SCHEMES or not host:
        raise InvalidInput(f"the NATS URL{shown} is wrong: it looks like nats://HOST:4222 ({', '.join(SCHEMES)})")
    if not _can_be_looked_up(host):
        raise InvalidInput(f"the NATS URL{shown} is wrong: {host[:200]!r} is no name of a host")
    name = f"[{host}]" if ":" in host else host
    if port is None and url.scheme in ("nats", "tls"):
        port = DEFAULT_PORT
    bare = urlunsplit((url.scheme, name if port is None else f"{name}:{port}", url.path, url.query, ""))
    user = None if url.username is None else unquote(url.username)
    password = None if url.password is None else unquote(url.password)
    return bare, user or None, password


def _can_be_looked_up(host: str) -> bool:
    """Whether the resolver takes the name at all: for another it raises what is no OSError."""
    if len(host) > _MOST_HOST_CHARS or not host.isprintable() or " " in host:
        return False
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return True
