"""The headers of a result's pieces on `coat.chunks.SESSION.TURN.CALL.UPLOAD`, and of the message that ends them."""

from urllib.parse import quote

MESSAGE_ID = "Nats-Msg-Id"
SEQ = "Coat-Seq"
FINAL = "Coat-Final"
COUNT = "Coat-Count"
BYTES = "Coat-Bytes"
SHA256 = "Coat-Sha256"
FAILED = "Coat-Failed"
IS_ERROR = "Coat-Is-Error"

MAX_REASON_CHARS = 500
"""Of why a producer gave up: it stands in a header, a stub event and the metadata."""

_SAFE = "!#$&'()*+,-./:;<=>?@[\\]^_`{|}~"


def piece_headers(message_id: str, seq: int) -> dict[str, str]:
    """Of the piece with this number, from 0; a message id of its own lets the stream take it once.

    A stream compares the ids of all sessions, and tells whoever asks for it the last one. So an id is random: an agent
    who could foretell it would publish under it first, and what bears it then would be acknowledged and gone.
    """
    return {MESSAGE_ID: message_id, SEQ: str(seq)}


def final_headers(
    message_id: str, *, count: int, size: int, sha256: str, is_error: bool | None = None
) -> dict[str, str]:
    """Of the message without a body that says how many pieces, and bytes of which hash, there are.

    `is_error` is told where the opening event did not say it, or otherwise.
    """
    headers = {MESSAGE_ID: message_id, FINAL: "true", COUNT: str(count), BYTES: str(size), SHA256: sha256}
    return headers | _is_error(is_error)


def failed_headers(message_id: str, reason: str, *, is_error: bool | None = None) -> dict[str, str]:
    """Of the message without a body that says why no more pieces come; the reason is clipped and percent-encoded."""
    headers = {MESSAGE_ID: message_id, FAILED: quote(clip_reason(reason), safe=_SAFE)}
    return headers | _is_error(is_error)


def clip_reason(reason: str) -> str:
    """One line of at most MAX_REASON_CHARS, never empty: a header without a value would say nothing."""
    line = " ".join(reason.encode("utf-8", "replace").decode().split())
    return line[:MAX_REASON_CHARS] or "the producer gave up"


def _is_error(is_error: bool | None) -> dict[str, str]:
    return {} if is_error is None else {IS_ERROR: "true" if is_error else "false"}
