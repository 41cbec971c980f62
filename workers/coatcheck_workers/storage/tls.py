"""TLS to object storage: the authorities to trust, and what a handshake that fails comes from."""

import re
import ssl
from pathlib import Path

from coatcheck_core.credentials.tls_files import storage_tls_of
from coatcheck_core.settings.model import StorageSettings
from coatcheck_schemas.errors import InvalidInput, StoreRejected

_RUSTLS = re.compile(r"\bInvalid(Certificate|Message)\(\s*(\w+)")
"""In obstore's text, which is all that it gives. No key has a parenthesis."""
_OPENSSL = re.compile(r"\[SSL: (\w+)\]\s?([^(\n]*)")
_WANTED = ("HTTP request to an HTTPS server", "HTTP request was sent to HTTPS port")
"""What servers in Go, and nginx, answer on a port that speaks TLS."""
_UNTRUSTED = "is not signed by an authority that is trusted: name that in storage.ca_file"


def tls_context(storage: StorageSettings) -> ssl.SSLContext | None:
    """For minio-py; None is as the system does it. Raises StoreRejected where `storage.ca_file` is wrong."""
    try:
        return storage_tls_of(storage)
    except InvalidInput as error:
        raise StoreRejected(str(error)) from None


def authorities(storage: StorageSettings) -> bytes | None:
    """PEM of those to trust beside the system's, for obstore. Raises StoreRejected as `tls_context`."""
    if tls_context(storage) is None:
        return None
    try:
        return Path(storage.ca_file).read_bytes()
    except OSError as error:
        raise StoreRejected(f"storage.ca_file {storage.ca_file} cannot be read: {error.strerror or error}") from None


def tls_fault(error: BaseException) -> str | None:
    """Why no TLS came about, of an error of obstore or urllib3, where waiting does not help; with what to do."""
    text = str(error)
    if found := _RUSTLS.search(text):
        return _of_rustls(found[2]) if found[1] == "Certificate" else _plain()
    if found := _OPENSSL.search(text):
        return _of_openssl(found[1], found[2].strip().rstrip("."))
    if any(words in text for words in _WANTED):
        return "object storage speaks TLS there: write https:// in storage.endpoint, or correct the port"
    return None


def _of_rustls(name: str) -> str:
    if name.startswith("NotValidForName"):
        return _certificate("is for another name: put one that it bears into storage.endpoint")
    if name.startswith("Expired"):
        return _certificate("has expired: renew it there")
    return _certificate(_UNTRUSTED if name == "UnknownIssuer" else f"cannot be trusted ({name}): make a proper one")


def _of_openssl(reason: str, told: str) -> str | None:
    if reason == "CERTIFICATE_VERIFY_FAILED":
        if "not valid for" in told:
            return _certificate("is for another name: put one that it bears into storage.endpoint")
        if "has expired" in told:
            return _certificate("has expired: renew it there")
        return _certificate(_UNTRUSTED)
    return _plain() if reason in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST") else None


def _certificate(what: str) -> str:
    return f"object storage's certificate {what}"


def _plain() -> str:
    return "object storage does not speak TLS there: write http:// in storage.endpoint, or correct the port"
