"""What a NATS server says of itself before anybody logs in: its INFO line, or why none came."""

import asyncio
import socket
from urllib.parse import urlsplit

import msgspec

from .finding import Finding, doubtful, failing, well

NATS = "nats"
SECONDS = 3.0
MOST_BYTES = 64 * 1024
WEBSOCKETS = ("ws", "wss")
LEAST_VERSION = (2, 12)
LEAST_PAYLOAD = 1024 * 1024
"""The server's default. A smaller one works, and offloads more."""
MOST_PAYLOAD = 8 * 1024 * 1024
"""Beyond this the server itself warns at its start: each message is held in memory several times."""


class Greeting(msgspec.Struct, frozen=True):
    """Of an INFO line, what is judged here."""

    version: str = ""
    jetstream: bool = False
    max_payload: int = LEAST_PAYLOAD
    tls_required: bool = False
    server_name: str = ""
    cluster: str = ""


class NoGreeting(Exception):
    """`found` is what happened, `mend` what to do."""

    def __init__(self, found: str, mend: str) -> None:
        super().__init__(found)
        self.found = found
        self.mend = mend


async def greet(url: str, seconds: float = SECONDS) -> Greeting | None:
    """The greeting of the server at a URL without credentials. Raises NoGreeting.

    None where only logging in can tell: a WebSocket, and a server that wants TLS before it says a word.
    """
    address = urlsplit(url)
    if address.scheme in WEBSOCKETS:
        return None
    host, port = address.hostname or "", address.port or 4222
    try:
        async with asyncio.timeout(seconds):
            line = await _first_line(host, port)
    except OSError as error:  # TimeoutError is one
        if address.scheme == "tls" and isinstance(error, TimeoutError):
            return None
        raise unreached(host, port, error, seconds) from error
    except ValueError as error:
        raise NoGreeting(f"{host!r} is no name of a host: {error}", "correct the name in nats.url") from error
    return understood(host, port, line)


def understood(host: str, port: int, line: bytes) -> Greeting:
    """The greeting that a first line is. Raises NoGreeting. Pure."""
    if line.startswith(b"INFO "):
        try:
            return msgspec.json.decode(line[5:], type=Greeting)
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass
    shown = line[:40].decode("ascii", "backslashreplace").strip()
    told = f"it begins with {shown!r}" if shown else "it says nothing"
    raise NoGreeting(
        f"what answers at {host}:{port} is no NATS server: {told}",
        "correct host and port in nats.url: the port of clients, 4222 by default, not that of monitoring or clusters",
    )


def unreached(host: str, port: int, error: OSError, seconds: float = SECONDS) -> NoGreeting:
    """Why nothing was heard, in words. Pure."""
    if isinstance(error, socket.gaierror):
        found = f"the name {host!r} has no address ({error.strerror or error})"
        return NoGreeting(found, "correct the name in nats.url, or this machine's resolver (DNS)")
    if isinstance(error, ConnectionRefusedError):
        found = f"nothing listens at {host}:{port} (connection refused)"
        return NoGreeting(found, "start the NATS server (here: `coatcheck up`), or correct the port in nats.url")
    if isinstance(error, TimeoutError):
        found = f"nothing is heard from {host}:{port} within {seconds:g} s"
        return NoGreeting(
            found, "see that no firewall or network policy is between, and that the server is not stopped"
        )
    return NoGreeting(f"{host}:{port} cannot be reached: {error.strerror or error}", "see to the network, and nats.url")


def judged(url: str, greeting: Greeting) -> list[Finding]:
    """What the server is like. Pure."""
    name = f"{url} ({greeting.server_name})" if greeting.server_name else url
    found = [*_version(name, greeting), *_payload(name, greeting)]
    if not greeting.jetstream:
        mend = "start nats-server with -js, or with a jetstream block in its configuration"
        found.append(failing(NATS, f"{name} runs without JetStream", mend))
    if found:
        return found
    secure = ", TLS" if greeting.tls_required else ""
    return [well(NATS, f"{name} answers: nats-server {greeting.version}, JetStream{secure}")]


def _version(name: str, greeting: Greeting) -> list[Finding]:
    least = ".".join(map(str, LEAST_VERSION))
    numbers = greeting.version.split("-")[0].split(".")
    if not all(one.isdecimal() for one in numbers[:2]) or len(numbers) < 2:
        return [doubtful(NATS, f"{name} has the version {greeting.version!r}", f"see that it is {least} or newer")]
    if tuple(map(int, numbers[:2])) < LEAST_VERSION:
        found = f"{name} is nats-server {greeting.version}, which cannot schedule messages"
        return [failing(NATS, found, f"upgrade every server to {least} or newer")]
    return []


def _payload(name: str, greeting: Greeting) -> list[Finding]:
    size = greeting.max_payload
    if size < LEAST_PAYLOAD:
        found = f"{name} takes messages of {size:,} bytes at most: results over that are always offloaded"
        return [doubtful(NATS, found, f"set max_payload to {LEAST_PAYLOAD} (the default) or more")]
    if size > MOST_PAYLOAD:
        found = f"{name} takes messages of {size:,} bytes: every one is held in memory several times over"
        return [doubtful(NATS, found, f"set max_payload to {MOST_PAYLOAD} at most: larger results go in pieces")]
    return []


async def _first_line(host: str, port: int) -> bytes:
    reader, writer = await asyncio.open_connection(host, port, limit=MOST_BYTES)
    try:
        return await reader.readline()
    except (ValueError, asyncio.IncompleteReadError):
        return b""
    finally:
        writer.close()
