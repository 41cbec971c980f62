"""Keep all to itself what the parts of the bundled S3 server tell each other: by mutual TLS, with a key of each start.

Its S3 port asks for keys. Its other ports, of the same process and on the same machine, ask for nothing by themselves:
they would give every object to whoever may connect, and delete it.
"""

import json
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from .files import write_private

SECURITY_FILE = "security.toml"
"""The server obeys the one in its working directory."""
LIFETIME = timedelta(days=3650)
"""Longer than any process lives, and the clock may have been wrong when it started."""

_GRPC = ("admin", "client", "filer", "master", "mq", "msg_agent", "msg_broker", "s3", "volume", "worker")
_HTTPS = ("admin", "filer", "master", "volume")


def seclude(folder: Path, address: str, now: datetime | None = None) -> None:
    """Write the server's security file into the folder, with a new key, which only its owner reads. Raises OSError."""
    certificate, key = folder / "inner.pem", folder / "inner.key"
    made, secret = _self_signed(address, datetime.now(UTC) if now is None else now)
    write_private(certificate, made)
    write_private(key, secret)
    write_private(folder / SECURITY_FILE, _security(certificate.absolute(), key.absolute()))


def _security(certificate: Path, key: Path) -> str:
    """Each part shows the one certificate, and trusts none but it."""
    pair = f"cert = {_quoted(certificate)}\nkey = {_quoted(key)}\n"
    authority = f"ca = {_quoted(certificate)}\n"
    sections = [f"[grpc]\n{authority}"]
    sections += [f"[grpc.{part}]\n{pair}" for part in _GRPC]
    sections += [f"[https.{part}]\n{pair}{authority}" for part in _HTTPS]
    sections += [f"[https.client]\nenabled = true\n{pair}{authority}"]
    return "\n".join(sections)


def _quoted(path: Path) -> str:
    """As a basic string of TOML, which is one of JSON but for one control character."""
    return json.dumps(str(path), ensure_ascii=False).replace("\x7f", "\\u007f")


def _self_signed(address: str, now: datetime) -> tuple[str, str]:
    """Certificate and key as PEM; the address is the one that the parts call each other by."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "coatcheck bundled S3 server")])
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - LIFETIME)
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))]), critical=False)
        .add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False
        )
    )
    certificate = builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM).decode()
    return certificate, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
