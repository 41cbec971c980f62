"""The files of TLS: read anew, and each fault of theirs named."""

import ssl
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from tests.support.secured import Certificates

import coatcheck
from coatcheck_core.credentials import tls_files
from coatcheck_core.credentials.login import login
from coatcheck_core.credentials.tls import ServerWithoutTls, Tls, insist_on_tls
from coatcheck_core.credentials.tls_files import TlsFiles, context_of, storage_tls_of, tls_of
from coatcheck_core.settings import ConfigError, Settings, load
from coatcheck_core.settings.model import NatsSettings, StorageSettings
from coatcheck_schemas.errors import InvalidInput, StoreRejected
from coatcheck_workers.login import log_in
from coatcheck_workers.storage import open_store
from coatcheck_workers.worker import Worker


@pytest.fixture(scope="module")
def certs(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("certificates"))


def shaken(client: ssl.SSLContext, server_pem: Path, clients_ca: Path | None = None) -> None:
    """A handshake in memory; raises as the end does that does not trust the other."""
    at_server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    at_server.load_cert_chain(server_pem)
    if clients_ca is not None:
        at_server.load_verify_locations(clients_ca)
        at_server.verify_mode = ssl.CERT_REQUIRED
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(down, up, server_hostname="127.0.0.1"),
        at_server.wrap_bio(up, down, server_side=True),
    ]
    for end in (*ends, *ends):
        try:
            end.do_handshake()
        except ssl.SSLWantReadError:
            continue


def test_settings_without_tls_leave_it_to_url_and_server() -> None:
    assert tls_of(NatsSettings()) is None
    assert storage_tls_of(StorageSettings()) is None


def test_only_the_authorities_of_the_file_are_trusted(certs: Certificates) -> None:
    shaken(context_of(TlsFiles(ca_file=str(certs.ca), name="{}")), certs.server)
    for files in (TlsFiles(ca_file=str(certs.other_ca), name="{}"), TlsFiles(name="{}")):
        with pytest.raises(ssl.SSLCertVerificationError):
            shaken(context_of(files), certs.server)


def test_the_store_s_authorities_come_beside_the_system_s(certs: Certificates) -> None:
    context = storage_tls_of(StorageSettings(ca_file=str(certs.ca)))
    system = ssl.create_default_context()
    assert context is not None
    assert context.cert_store_stats()["x509"] == system.cert_store_stats()["x509"] + 1
    shaken(context, certs.server)


def test_the_files_are_read_anew_for_each_connection(certs: Certificates, tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_bytes(certs.other_ca.read_bytes())
    context = context_of(TlsFiles(ca_file=str(file), name="{}"))
    with pytest.raises(ssl.SSLCertVerificationError):
        shaken(context, certs.server)
    file.write_bytes(certs.ca.read_bytes())
    shaken(context, certs.server)


def test_a_renewed_certificate_is_shown_without_a_restart(certs: Certificates, tmp_path: Path) -> None:
    file = tmp_path / "client.pem"
    file.write_bytes(certs.foreign_client.read_bytes())
    context = context_of(TlsFiles(ca_file=str(certs.ca), cert_file=str(file), name="{}"))
    with pytest.raises(ssl.SSLCertVerificationError):
        shaken(context, certs.server, certs.ca)
    file.write_bytes(certs.client.read_bytes())
    shaken(context, certs.server, certs.ca)


def test_a_certificate_that_has_come_without_its_key_yet_leaves_those_before(
    certs: Certificates, tmp_path: Path
) -> None:
    cert, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    for file in (cert, key):
        file.write_bytes(certs.client.read_bytes())
    files = TlsFiles(ca_file=str(certs.ca), cert_file=str(cert), key_file=str(key), name="{}")
    context = context_of(files)
    cert.write_bytes(certs.foreign_client.read_bytes())
    shaken(context, certs.server, certs.ca)
    key.write_bytes(certs.foreign_client.read_bytes())
    with pytest.raises(ssl.SSLCertVerificationError):
        shaken(context, certs.server, certs.ca)


def test_an_authority_that_is_taken_out_of_the_file_is_trusted_no_more(certs: Certificates, tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_bytes(certs.ca.read_bytes())
    context = context_of(TlsFiles(ca_file=str(file), name="{}"))
    file.write_bytes(certs.other_ca.read_bytes())
    with pytest.raises(ssl.SSLCertVerificationError):
        shaken(context, certs.server)


def test_files_that_are_as_they_were_are_not_loaded_again(certs: Certificates, monkeypatch: pytest.MonkeyPatch) -> None:
    context = context_of(TlsFiles(ca_file=str(certs.ca), name="{}"))
    monkeypatch.setattr(tls_files, "_load", None)
    shaken(context, certs.server)


def test_a_file_that_is_gone_meanwhile_leaves_what_was_read(certs: Certificates, tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_bytes(certs.ca.read_bytes())
    context = context_of(TlsFiles(ca_file=str(file), name="{}"))
    file.unlink()
    shaken(context, certs.server)


def test_words_beside_the_certificates_are_no_fault(certs: Certificates, tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_bytes("# Autorité de Sûreté\n".encode() + certs.ca.read_bytes())
    shaken(context_of(TlsFiles(ca_file=str(file), name="{}")), certs.server)


def wrong_files(certs: Certificates, folder: Path) -> dict[str, tuple[dict[str, str], str]]:
    rubbish, locked = folder / "rubbish.pem", folder / "locked.pem"
    rubbish.write_text("hush, no certificate")
    key = serialization.load_pem_private_key(certs.client.read_bytes(), None)
    assert isinstance(key, EllipticCurvePrivateKey)
    locked.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"hush"),
        )
    )
    client = str(certs.client)
    return {
        "no CA": ({"tls_ca_file": "/nowhere/ca.pem"}, r"nats\.tls_ca_file /nowhere/ca\.pem cannot be read: No such"),
        "a folder": ({"tls_ca_file": str(folder)}, r"nats\.tls_ca_file .* "),
        "CA of rubbish": ({"tls_ca_file": str(rubbish)}, r"nats\.tls_ca_file .*rubbish\.pem has no certificate"),
        "a zero byte": ({"tls_ca_file": "a\0b"}, r"nats\.tls_ca_file .* cannot be read"),
        "no certificate": ({"tls_cert_file": "/nowhere/c.pem"}, r"nats\.tls_cert_file /nowhere/c\.pem cannot be read"),
        "no key in it": ({"tls_cert_file": str(certs.ca)}, r"nats\.tls_cert_file .*no certificate with its key"),
        "no key": ({"tls_cert_file": client, "tls_key_file": "/nowhere/k"}, r"nats\.tls_key_file /nowhere/k cannot be"),
        "another's key": ({"tls_cert_file": client, "tls_key_file": str(certs.server)}, "the key is not the cert"),
        "a locked key": ({"tls_cert_file": client, "tls_key_file": str(locked)}, "locked by a password: unlock it"),
    }


KINDS = ("no CA", "a folder", "CA of rubbish", "a zero byte", "no certificate", "no key in it", "no key")


@pytest.mark.parametrize("kind", [*KINDS, "another's key", "a locked key"])
def test_a_file_that_is_wrong_is_named_and_not_shown(certs: Certificates, tmp_path: Path, kind: str) -> None:
    fields, said = wrong_files(certs, tmp_path)[kind]
    with pytest.raises(InvalidInput, match=said) as caught:
        log_in(msgspec.convert({"url": "tls://h", **fields}, NatsSettings))
    assert "hush" not in str(caught.value)


def test_the_store_s_file_that_is_wrong_is_named() -> None:
    storage = StorageSettings(endpoint="https://h", access_key="a", secret_key="b", ca_file="/nowhere/ca.pem")
    with pytest.raises(StoreRejected, match=r"storage\.ca_file /nowhere/ca\.pem cannot be read"):
        open_store(storage)


async def test_a_worker_says_so_before_it_waits_for_nats() -> None:
    tree = {"nats": {"url": "nats://127.0.0.1:1"}, "storage": {"endpoint": "https://h", "ca_file": "/nowhere/ca.pem"}}
    with pytest.raises(StoreRejected, match=r"storage\.ca_file /nowhere/ca\.pem cannot be read"):
        Worker(msgspec.convert(tree, Settings))


@pytest.mark.parametrize("name", ["tls", "storage_tls"])
async def test_a_client_s_file_that_is_wrong_is_named(name: str) -> None:
    given: dict[str, Any] = {name: "/nowhere/ca.pem"}
    with pytest.raises(InvalidInput, match=rf"^{name}: .*/nowhere/ca\.pem cannot be read"):
        async with coatcheck.connect("tls://h", **given):
            pass


def test_a_key_without_its_certificate_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"tls_key_file is set and nats\.tls_cert_file is not"):
        load(assignments=["nats.tls_key_file=k.pem"])


def test_the_context_goes_to_every_kind_of_login(certs: Certificates, tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("p")
    for fields in ({}, {"user": "u", "password_file": str(password)}):
        tree = {"url": "nats://h", "tls_ca_file": str(certs.ca), "tls_first": True, **fields}
        who = log_in(msgspec.convert(tree, NatsSettings))
        assert isinstance(who.options["tls"], ssl.SSLContext)
        assert who.options["tls_handshake_first"] is True
        assert who.insists_on_tls


@pytest.mark.parametrize(
    ("url", "insists"), [("nats://a,nats://b", False), ("nats://a,tls://b", True), ("wss://a", True)]
)
def test_one_secured_url_counts_for_all(url: str, insists: bool) -> None:
    assert login(url).insists_on_tls is insists


@pytest.mark.parametrize(("url", "tls"), [("ws://a", True), ("ws://a,wss://b", False)])
def test_tls_and_a_plain_web_socket_exclude_each_other(url: str, tls: bool) -> None:
    with pytest.raises(InvalidInput, match="wss://"):
        login(url, tls=Tls(context=ssl.create_default_context()) if tls else None)


class Greeted:
    """As much of a NATS client as hears a greeting."""

    def __init__(self, *, first: bool = False) -> None:
        self.options = {"tls_handshake_first": first}
        self._current_server = None
        self.heard: list[dict[str, Any]] = []
        insist_on_tls(self)

    async def _process_info(self, info: dict[str, Any], initial_connection: bool = False) -> None:
        self.heard.append(info)


async def test_a_greeting_without_tls_ends_the_connection() -> None:
    client = Greeted()
    with pytest.raises(ServerWithoutTls):
        await client._process_info({}, initial_connection=True)
    assert client.heard == []


async def test_tls_that_a_server_leaves_open_is_done() -> None:
    client = Greeted()
    await client._process_info({"tls_available": True}, initial_connection=True)
    assert client.heard == [{"tls_available": True, "tls_required": True}]


async def test_a_greeting_that_came_by_tls_is_taken() -> None:
    client = Greeted(first=True)
    await client._process_info({}, initial_connection=True)
    assert client.heard == [{}]


async def test_what_a_server_tells_later_is_no_greeting() -> None:
    client = Greeted()
    await client._process_info({}, initial_connection=False)
    assert client.heard == [{}]
