"""Why a NATS server that answers does not let us in, in words. Pure."""

import ssl

from nats.errors import Error as NatsError

from .finding import Finding, failing
from .greeting import NATS

LOGIN = "login"
_DENIED = ("authorization violation", "authentication", "credentials", "user jwt", "nkey")
_FULL = "maximum"


def refused(error: BaseException | None, said: str, *, user: str | None, origin: str) -> Finding:
    """`error` is what connecting ended in, `said` that in words without a secret, `origin` where the URL is from."""
    if isinstance(error, ssl.SSLCertVerificationError):
        found = f"the server's certificate is not trusted: {error.verify_message}"
        mend = "name the CA that signed it, and the server as the certificate does (its host in nats.url)"
        return failing(LOGIN, found, mend)
    if isinstance(error, ssl.SSLError):
        found = f"TLS cannot be agreed on: {getattr(error, 'reason', None) or error}"
        return failing(
            LOGIN, found, "see that the server has TLS on this port, and what certificate it asks of clients"
        )
    text = str(error).lower()
    if isinstance(error, NatsError) and _FULL in text:
        return failing(LOGIN, f"the server takes no more connections: {error}", "raise its max_connections")
    if isinstance(error, NatsError) and any(word in text for word in _DENIED):
        whom = f"user {user!r}" if user else "a client without user"
        mend = f"correct who logs in: nats.url (from {origin}), nats.user and nats.password_file, or nats.creds_file"
        return failing(LOGIN, f"the server refuses {whom} (authorization violation)", mend)
    return failing(NATS, said, "see the server's log")
