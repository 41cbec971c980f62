"""A connection without a client library: what it sends, no library has checked."""

import asyncio
import json
from urllib.parse import urlsplit


async def publish_as_is(
    url: str, subject: str | bytes, headers: bytes, body: bytes, *, reply: bytes = b"", status: bytes = b""
) -> None:
    """Publish with these very bytes as subject, reply, status line and header lines."""
    head = b"NATS/1.0" + status + b"\r\n" + headers + b"\r\n"
    named = subject.encode() if isinstance(subject, str) else subject
    sizes = b"%d %d" % (len(head), len(head) + len(body))
    await _send(url, b" ".join(filter(None, (b"HPUB", named, reply, sizes))) + b"\r\n" + head + body + b"\r\n")


async def _send(url: str, operation: bytes) -> None:
    at = urlsplit(url)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    options = {"user": at.username, "pass": at.password, "headers": True, "verbose": False, "pedantic": False}
    writer.write(b"CONNECT " + json.dumps(options).encode() + b"\r\n" + operation + b"PING\r\n")
    await writer.drain()
    async with asyncio.timeout(60):
        while (line := await reader.readline()) != b"PONG\r\n":
            assert line.startswith((b"INFO", b"PING", b"+OK")), line
    writer.close()
    await writer.wait_closed()
