"""A result as it came, whichever way: from its tool, or out of what was held."""

from collections.abc import Mapping
from datetime import datetime

import msgspec
from nats.aio.msg import Msg

from coatcheck_core.uploaded import Uploaded


class Arrived(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message on `coat.results...`. `received_at` is when NATS received it, the first time.

    One that opened an upload has what was `uploaded` once that is complete; `received_at` is then when it was.
    """

    subject: str
    headers: Mapping[str, str] | None
    body: bytes
    received_at: datetime
    uploaded: Uploaded | None = None

    @classmethod
    def from_message(cls, message: Msg) -> "Arrived":
        return cls(
            subject=message.subject,
            headers=message.headers,
            body=message.data,
            received_at=message.metadata.timestamp,
        )


def pack(arrived: Arrived) -> bytes:
    """The whole of it as one message's body: headers that stand among a held message's own might act again."""
    return msgspec.msgpack.encode(arrived)


def unpack(body: bytes) -> Arrived:
    """Raises msgspec.DecodeError for what `pack` did not make."""
    return msgspec.msgpack.decode(body, type=Arrived)
