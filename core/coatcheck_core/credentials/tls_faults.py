"""What a failed TLS connection to NATS comes from, and what to do about it. Pure."""

import ssl

from .tls import ServerWithoutTls

_PASSING = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLWantReadError, ssl.SSLWantWriteError, ssl.SSLSyscallError)
"""A server that ends in the middle of a handshake may be back in a moment."""
_EXPIRED = 10
_NOT_YET_VALID = 9
_OTHER_NAME = frozenset({62, 64})
"""OpenSSL's X509_V_ERR_... for certificates and names."""
_NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "UNKNOWN_PROTOCOL"})


def is_tls_fault(error: BaseException | None) -> bool:
    """Whether waiting does not help: server and client do not trust each other, or only one of them speaks TLS."""
    return isinstance(error, ServerWithoutTls) or (isinstance(error, ssl.SSLError) and not isinstance(error, _PASSING))


def explain_tls(error: BaseException) -> str:
    """In words, of an error that is a TLS fault: what is wrong, and what mends it."""
    if isinstance(error, ServerWithoutTls):
        return (
            "the server offers no TLS, and nothing is sent without it: give the server a `tls` block, or connect by"
            " nats:// without nats.tls_... settings"
        )
    if isinstance(error, ssl.SSLCertVerificationError):
        return _distrusted(error)
    reason = (getattr(error, "reason", None) or "").upper()
    if "CERTIFICATE_REQUIRED" in reason:
        return "the server asks for a client's certificate: name one in nats.tls_cert_file and nats.tls_key_file"
    if "ALERT" in reason:
        said = reason.rpartition("ALERT_")[2].replace("_", " ").lower()
        return (
            f"the server ends the TLS handshake ({said}): is the certificate in nats.tls_cert_file valid, and signed"
            " by an authority that the server trusts?"
        )
    if reason in _NO_TLS:
        return "the server does not begin with TLS: set nats.tls_first to false, or correct the port"
    return f"TLS cannot be agreed on ({reason.replace('_', ' ').lower() or error}): see what the server offers"


def _distrusted(error: ssl.SSLCertVerificationError) -> str:
    code = getattr(error, "verify_code", 0)
    if code == _EXPIRED:
        return "the server's certificate has expired: renew it there"
    if code == _NOT_YET_VALID:
        return "the server's certificate is not valid yet: see to the clocks of server and client"
    told = str(getattr(error, "verify_message", "") or error).rstrip(".")
    if code in _OTHER_NAME:
        return (
            f"the server's certificate is for another name ({told}): put a name or address that it bears into the NATS"
            " URL"
        )
    return f"the server's certificate is not trusted ({told}): name the authority that signed it in nats.tls_ca_file"
