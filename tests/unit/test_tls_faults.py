"""Why no TLS came about, in words."""

import ssl

import pytest

from coatcheck.client.opening import explain
from coatcheck_core.credentials.tls_faults import explain_tls, is_tls_fault
from coatcheck_workers.storage.tls import tls_fault


def of(reason: str) -> ssl.SSLError:
    error = ssl.SSLError(1, f"[SSL: {reason}] told")
    error.reason = reason
    return error


def distrusted(code: int, message: str = "it is so") -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_code, error.verify_message = code, message
    return error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (distrusted(9), "not valid yet: see to the clocks"),
        (distrusted(10), "expired: renew"),
        (distrusted(62, "Hostname mismatch."), "another name (Hostname mismatch)"),
        (distrusted(20, "unable to get local issuer certificate"), "nats.tls_ca_file"),
        (of("TLSV13_ALERT_CERTIFICATE_REQUIRED"), "asks for a client's certificate"),
        (of("TLSV1_ALERT_UNKNOWN_CA"), "(unknown ca): is the certificate in nats.tls_cert_file"),
        (of("WRONG_VERSION_NUMBER"), "nats.tls_first"),
        (of("NO_SHARED_CIPHER"), "(no shared cipher): see what the server offers"),
    ],
)
def test_each_fault_has_its_words(error: ssl.SSLError, said: str) -> None:
    assert is_tls_fault(error)
    assert said in explain_tls(error)
    assert explain(error) == explain_tls(error)


@pytest.mark.parametrize("error", [ssl.SSLEOFError(8, "eof"), ConnectionResetError(), TimeoutError(), None])
def test_a_server_that_goes_away_in_a_handshake_is_waited_for(error: Exception | None) -> None:
    assert not is_tls_fault(error)


def test_the_end_of_a_handshake_is_explained() -> None:
    assert "client certificate" in explain(ssl.SSLEOFError(8, "EOF occurred in violation of protocol"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("error: InvalidCertificate(\n  UnknownIssuer,\n)", "storage.ca_file"),
        ("error: InvalidCertificate(\n  Expired,\n)", "expired"),
        ("error: InvalidCertificate(\n  NotValidForName,\n)", "storage.endpoint"),
        ("error: InvalidCertificate(\n  InvalidPurpose,\n)", "cannot be trusted (InvalidPurpose)"),
        ("error: InvalidMessage(\n  InvalidContentType,\n)", "http://"),
        ("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1)", "ca_file"),
        ("status code: 400 Bad Request: Client sent an HTTP request to an HTTPS server.", "https://"),
        ("[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)", "http://"),
    ],
)
def test_each_fault_of_the_store_has_its_words(text: str, said: str) -> None:
    assert said in str(tls_fault(ValueError(text)))


@pytest.mark.parametrize(
    "text",
    [
        "HEAD https://h/b/UnknownIssuer in 1 s: connection refused",
        "InvalidCertificate in a name",
        "[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred (_ssl.c:1)",
    ],
)
def test_a_store_that_is_away_is_no_fault_of_tls(text: str) -> None:
    assert tls_fault(ValueError(text)) is None
