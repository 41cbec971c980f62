"""nats-py reads subjects and headers as UTF-8, and stops reading the connection at the first that is not.

Any publisher could so make whoever hears it deaf. A client that is made tolerant hears such a message with its odd
bytes escaped: the subject then is none of ours, and is refused as such.
"""

from typing import Any


def hear_any_bytes(client: Any) -> None:
    """Make a `nats.aio.client.Client` tolerant, before its first subscription."""
    read_headers = client._process_headers

    def build_message(sid: int, subject: bytes, reply: bytes, data: bytes, headers: dict[str, str] | None) -> Any:
        return client.msg_class(
            subject=subject.decode(errors="backslashreplace"),
            reply=reply.decode(errors="backslashreplace"),
            data=data,
            headers=headers,
            _client=client,
            _sid=sid,
        )

    async def process_headers(raw: bytes) -> dict[str, str] | None:
        try:
            headers: dict[str, str] | None = await read_headers(raw)
        except (UnicodeDecodeError, ValueError, IndexError):
            return {}
        return headers

    client._build_message = build_message
    client._process_headers = process_headers
