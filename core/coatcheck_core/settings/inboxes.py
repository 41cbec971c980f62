"""Where replies may go, as `requests.inbox_prefixes` says. Pure."""

from coatcheck_schemas.permissions import SERVICE_REPLIES

from .model import RequestsSettings


def reply_prefixes(requests: RequestsSettings) -> tuple[str, ...]:
    """What the reply subject of a request begins with, each to its dot: `_INBOX.`; and always `_R_.`.

    A server brings the requests of another account, as granted agents' are, with a reply of that form, which nobody
    can name: see SERVICE_REPLIES.
    """
    return *(one.removesuffix(">") for one in inboxes(requests)), SERVICE_REPLIES.removesuffix(">")


def inboxes(requests: RequestsSettings) -> tuple[str, ...]:
    """The same as subjects with NATS's wildcard, without the servers' own: `_INBOX.>`."""
    return tuple(dict.fromkeys(f"{prefix.removesuffix('.')}.>" for prefix in requests.inbox_prefixes))
