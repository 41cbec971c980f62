"""Why a NATS server that answers does not let us in, in words. Pure."""

from nats.errors import Error as NatsError

from coatcheck_core.credentials.tls_faults import explain_tls, is_tls_fault

from .finding import Finding, failing
from .greeting import NATS

LOGIN = "login"
_DENIED = ("authorization violation", "authentication", "credentials", "user jwt", "nkey")
_FULL = "maximum"


def refused(error: BaseException | None, said: str, *, user: str | None, origin: str) -> Finding:
    """`error` is what connecting ended in, `said` that in words without a secret, `origin` where the URL is from."""
    if error is not None and is_tls_fault(error):
        found, _, mend = explain_tls(error).rpartition(": ")
        return failing(LOGIN, found, mend)
    text = str(error).lower()
    if isinstance(error, NatsError) and _FULL in text:
        return failing(LOGIN, f"the server takes no more connections: {error}", "raise its max_connections")
    if isinstance(error, NatsError) and any(word in text for word in _DENIED):
        whom = f"user {user!r}" if user else "a client without user"
        mend = f"correct who logs in: nats.url (from {origin}), nats.user and nats.password_file, or nats.creds_file"
        return failing(LOGIN, f"the server refuses {whom} (authorization violation)", mend)
    return failing(NATS, said, "see the server's log")
