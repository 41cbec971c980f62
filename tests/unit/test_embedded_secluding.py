"""The security file of the bundled S3 server: every part by TLS, with one key that nobody else has."""

import ssl
import stat
import tomllib
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509

from coatcheck_workers.embedded.secluding import SECURITY_FILE, seclude

ADDRESS = "127.0.0.1"
NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("name", ["data", 'da"ta \\ ü\x7f'])
def test_every_part_shows_the_one_certificate_and_trusts_no_other(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    seclude(folder, ADDRESS)
    security = tomllib.loads((folder / SECURITY_FILE).read_text())
    assert set(security) == {"grpc", "https"}
    assert security["grpc"].pop("ca") == str(folder / "inner.pem")
    assert set(security["grpc"]) >= {"master", "volume", "filer", "s3", "admin", "client"}
    assert set(security["https"]) == {"master", "volume", "filer", "admin", "client"}
    pair = {"cert": str(folder / "inner.pem"), "key": str(folder / "inner.key")}
    assert all(part == pair for part in security["grpc"].values())
    for part in security["https"].values():
        assert part == pair | {"ca": pair["cert"]} | ({"enabled": True} if "enabled" in part else {})
    assert security["https"]["client"]["enabled"] is True


def test_its_files_are_for_their_owner_alone_and_new_each_time(tmp_path: Path) -> None:
    seclude(tmp_path, ADDRESS)
    before = (tmp_path / "inner.key").read_bytes()
    seclude(tmp_path, ADDRESS)
    assert (tmp_path / "inner.key").read_bytes() != before
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


def test_the_certificate_is_of_that_address_and_goes_with_its_key(tmp_path: Path) -> None:
    seclude(tmp_path, ADDRESS, NOW)
    ssl.create_default_context().load_cert_chain(tmp_path / "inner.pem", tmp_path / "inner.key")
    certificate = x509.load_pem_x509_certificate((tmp_path / "inner.pem").read_bytes())
    named = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert named.get_values_for_type(x509.IPAddress) == [ip_address(ADDRESS)]
    assert certificate.not_valid_before_utc < NOW < certificate.not_valid_after_utc
