"""Settings that are each within their bounds, and impossible together. Pure."""

from .errors import ConfigError
from .model import Settings


def check_relations(settings: Settings) -> None:
    """Raises ConfigError, which names both settings and what would go wrong."""
    requests = settings.requests
    if requests.search_seconds >= requests.timeout_seconds:
        raise ConfigError(
            f"requests.search_seconds is {requests.search_seconds:g}, requests.timeout_seconds"
            f" {requests.timeout_seconds:g}: a search would be given up before it answers with what it has; make"
            " requests.timeout_seconds the greater"
        )
    if requests.body_bytes > requests.waiting_bytes:
        raise ConfigError(
            f"requests.body_bytes is {requests.body_bytes}, requests.waiting_bytes {requests.waiting_bytes}: a request"
            " of that size could never wait; make requests.waiting_bytes at least as great"
        )
