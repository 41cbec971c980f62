"""Settings that are each within their bounds, and impossible together. Pure."""

from coatcheck_schemas.requests import DELETE_SECONDS, REQUEST_SECONDS

from .errors import ConfigError
from .model import NatsSettings, RequestsSettings, Settings

CANCEL_SECONDS = 0.5
"""How long a request that is given up may take to end, before whoever asked is told all the same."""


def check_relations(settings: Settings) -> None:
    """Raises ConfigError, which names both settings and what would go wrong."""
    _check_tls(settings.nats)
    _check_inboxes(settings)
    _check_waiting(settings.requests)
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


def _check_tls(nats: NatsSettings) -> None:
    if nats.tls_key_file and not nats.tls_cert_file:
        raise ConfigError(
            "nats.tls_key_file is set and nats.tls_cert_file is not: a key is nothing without its certificate; set both"
        )


def _check_inboxes(settings: Settings) -> None:
    """Workers may publish whatever is an inbox."""
    own = settings.nats.prefix
    for prefix in settings.requests.inbox_prefixes:
        if prefix.partition(".")[0] in (own, f"{own}-internal"):
            raise ConfigError(
                f"requests.inbox_prefixes has {prefix[:80]!r}, where with nats.prefix {own[:80]!r} stubs, results and"
                " the workers' own lie: a reply could be taken for one of them; give inboxes a subject of their own"
            )


def _check_waiting(requests: RequestsSettings) -> None:
    """Every reply is to come while somebody waits for it, that of a limit too."""
    longest = requests.patience_seconds + requests.timeout_seconds + CANCEL_SECONDS
    named = (
        f"requests.patience_seconds is {requests.patience_seconds:g}, requests.timeout_seconds"
        f" {requests.timeout_seconds:g}"
    )
    if longest > REQUEST_SECONDS:
        raise ConfigError(
            f"{named}: with {CANCEL_SECONDS:g} s to end what is given up, a reply may come after {longest:g} s, and"
            f" whoever asks waits {REQUEST_SECONDS:g} s; make one of the two smaller"
        )
    longest += requests.delete_seconds
    if longest > DELETE_SECONDS:
        raise ConfigError(
            f"{named}, requests.delete_seconds {requests.delete_seconds:g}: the reply to a deletion may come after"
            f" {longest:g} s, and whoever asks waits {DELETE_SECONDS:g} s; make requests.delete_seconds smaller"
        )
