"""TLS to real servers: the whole path, and each way not to trust each other."""

import asyncio
import secrets
import ssl
import urllib.request
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import click
import msgspec
import pytest
import pytest_asyncio
from tests.support.commands import Command, configured
from tests.support.secured import PASSWORD, USER, Certificates, eavesdropper, nats_with, tls_in_front_of
from tests.support.servers import BUCKET
from tests.support.wait import eventually
from tests.support.workers import worker_here

import coatcheck
from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import RequestError, StoreRejected
from coatcheck_workers.commands.connecting import connected
from coatcheck_workers.connection import Connection, NotAdmitted
from coatcheck_workers.embedded import S3Server
from coatcheck_workers.provisioning import place_of, provision
from coatcheck_workers.storage import open_store
from coatcheck_workers.worker import Worker

TEXT = "".join(f"line {number} of what is secret\n" for number in range(3000))
LARGE = TEXT * 60


class World:
    """NATS servers by name, and object storage behind TLS with each certificate, by its file's name."""

    def __init__(self, certs: Certificates) -> None:
        self.certs = certs
        self.nats: dict[str, str] = {}
        self.stores: dict[str, str] = {}

    def settings(self, server: str = "mutual", **nats: Any) -> Settings:
        """TLS as it is right for the server that asks for a client's certificate, but for what is said."""
        certs = self.certs
        secured = {"tls_ca_file": str(certs.ca), "tls_cert_file": str(certs.client)}
        tree = {
            "nats": {"url": f"tls://{USER}:{PASSWORD}@{self.nats[server]}", **secured, **nats},
            "storage": self.storage("server.pem"),
            "worker": {"grace_seconds": 1.0},
            "streams": {
                name: {"max_bytes": 64 << 20} for name in ("results", "chunks", "stubs", "dlq", "ledger", "held")
            },
        }
        return msgspec.convert(tree, Settings)

    def storage(self, cert: str, **changed: Any) -> dict[str, Any]:
        return {"endpoint": f"https://{self.stores[cert]}", "ca_file": str(self.certs.ca), **self.keys, **changed}

    keys: dict[str, Any]


@pytest_asyncio.fixture(scope="module")
async def world(s3_server: S3Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    folder = tmp_path_factory.mktemp("tls")
    certs = Certificates(folder)
    one = World(certs)
    one.keys = {"access_key": s3_server.access_key, "secret_key": s3_server.secret_key, "bucket": BUCKET}
    one.keys["prefix"] = f"t{secrets.token_hex(6)}"
    blocks = {
        "mutual": certs.block(certs.server, ", verify: true"),
        "elsewhere": certs.block(certs.elsewhere),
        "expired": certs.block(certs.expired),
        "first": certs.block(certs.server, ", handshake_first: true"),
        "plain": "",
    }
    async with AsyncExitStack() as stack:
        for name, block in blocks.items():
            one.nats[name] = await stack.enter_async_context(nats_with(folder, name, block))
        for cert in (certs.server, certs.elsewhere, certs.expired):
            one.stores[cert.name] = await stack.enter_async_context(tls_in_front_of(s3_server.port, cert))
        one.stores["plain"] = f"127.0.0.1:{s3_server.port}"
        yield one


def client_context(certs: Certificates) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(certs.ca))
    context.load_cert_chain(certs.client)
    return context


async def fetched(url: str, context: ssl.SSLContext) -> bytes:
    def fetch() -> bytes:
        with urllib.request.urlopen(url, timeout=20, context=context) as answer:
            body: bytes = answer.read()
            return body

    return await asyncio.to_thread(fetch)


async def test_results_go_out_and_come_back_by_tls(
    world: World, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings = world.settings()
    context = client_context(world.certs)
    async with connected(settings, "provision") as nats:
        await provision(nats.jetstream(), place_of(settings.storage), settings)
    file = tmp_path / "result.txt"
    file.write_text(LARGE)
    async with (
        worker_here(settings),
        coatcheck.connect(settings.nats.url, tls=context, storage_tls=world.certs.ca) as client,
    ):
        event = await client.submit("s", LARGE, tool_name="cat", call="c")
        assert event.disposition == "offloaded"
        assert event.ref is not None
        assert (await client.read(event.ref, unit="lines", limit=1)).content == LARGE.splitlines(keepends=True)[0]
        link = await client.link(event.ref)
        assert link.url.startswith("https://")
        assert await fetched(link.url, context) == LARGE.encode()
        uploaded = await client.upload("s", file, tool_name="cat", call="u")
        assert (uploaded.disposition, uploaded.sha256) == ("offloaded", event.sha256)
        command = Command(configured(settings, tmp_path), tmp_path)
        published = await command.run("publish", str(file), "--upload", "--json")
        assert (published.code, published.event.sha256) == (0, event.sha256), published.err
        assert "eof_received" not in published.err
        with pytest.raises(RequestError, match=r"not trusted.*storage\.ca_file"):
            async with coatcheck.connect(settings.nats.url, tls=context) as stranger:
                await stranger.upload("s", file, tool_name="cat", call="v")
    assert "eof_received" not in caplog.text


UNTRUSTED: list[tuple[str, dict[str, Any], str]] = [
    ("mutual", {"tls_ca_file": "OTHER"}, "not trusted.*nats.tls_ca_file"),
    ("mutual", {"tls_ca_file": "", "tls_cert_file": ""}, "not trusted.*nats.tls_ca_file"),
    ("elsewhere", {}, "for another name.*NATS URL"),
    ("expired", {}, "has expired.*renew"),
    ("plain", {}, "offers no TLS.*tls. block"),
    ("plain", {"tls_first": True}, "does not begin with TLS.*nats.tls_first"),
]
KINDS = [f"{server} {' '.join(changed)}" for server, changed, _ in UNTRUSTED]


def changed_settings(world: World, server: str, changed: dict[str, Any]) -> Settings:
    named = {name: str(world.certs.other_ca) if value == "OTHER" else value for name, value in changed.items()}
    return world.settings(server, **named)


@pytest.mark.parametrize(("server", "changed", "said"), UNTRUSTED, ids=KINDS)
async def test_a_client_says_at_once_why_there_is_no_trust(
    world: World, monkeypatch: pytest.MonkeyPatch, server: str, changed: dict[str, Any], said: str
) -> None:
    for name, value in msgspec.to_builtins(changed_settings(world, server, changed).nats).items():
        monkeypatch.setenv(f"COATCHECK_NATS__{name.upper()}", str(value).lower() if value is False else str(value))
    with pytest.raises(RequestError, match=said) as caught:
        async with asyncio.timeout(60), coatcheck.connect(connect_seconds=60):
            raise AssertionError("it is connected")
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize(("server", "changed", "said"), UNTRUSTED, ids=KINDS)
async def test_a_worker_ends_where_waiting_does_not_help(
    world: World, server: str, changed: dict[str, Any], said: str
) -> None:
    connection = Connection(changed_settings(world, server, changed))
    with pytest.raises(NotAdmitted, match=said):
        async with asyncio.timeout(60):
            await connection.open()


@pytest.mark.parametrize(("server", "changed", "said"), UNTRUSTED, ids=KINDS)
async def test_a_command_says_why_there_is_no_trust(
    world: World, server: str, changed: dict[str, Any], said: str
) -> None:
    with pytest.raises(click.ClickException, match=said):
        async with asyncio.timeout(60), connected(changed_settings(world, server, changed), "provision"):
            raise AssertionError("it is connected")


@pytest.mark.parametrize(
    ("cert", "said"), [("", "asks for a client's certificate"), ("foreign", "ends the TLS handshake")]
)
async def test_a_client_s_certificate_that_is_missing_or_foreign_is_named(world: World, cert: str, said: str) -> None:
    settings = world.settings(tls_cert_file=str(world.certs.foreign_client) if cert else "")
    connection = Connection(settings)
    with pytest.raises(NotAdmitted, match=f"{said}.*nats.tls_cert_file"):
        async with asyncio.timeout(60):
            await connection.open()


async def test_a_server_that_does_tls_first_is_greeted_so(world: World) -> None:
    settings = world.settings("first", tls_first=True)
    async with connected(settings, "provision") as nats:
        assert nats.is_connected


async def test_nothing_is_said_to_a_server_that_offers_no_tls(world: World) -> None:
    async with eavesdropper() as (address, heard):
        settings = world.settings()
        url = f"tls://{USER}:{PASSWORD}@{address}"
        settings = msgspec.structs.replace(settings, nats=msgspec.structs.replace(settings.nats, url=url))
        with pytest.raises(RequestError):
            async with coatcheck.connect(url):
                pass
        with pytest.raises(click.ClickException):
            async with connected(settings, "provision"):
                pass
        with pytest.raises(NotAdmitted):
            await Connection(settings).open()
        assert b"".join(heard) == b""
        assert len(heard) >= 3


async def test_nothing_is_said_to_who_takes_the_server_s_place(world: World, tmp_path: Any) -> None:
    certs = world.certs
    async with AsyncExitStack() as stack:
        async with nats_with(tmp_path, "replaced", certs.block(certs.server)) as address:
            connecting = coatcheck.connect(f"tls://{USER}:{PASSWORD}@{address}", tls=certs.ca)
            client = await stack.enter_async_context(connecting)
        async with eavesdropper(int(address.rpartition(":")[2])) as (_, heard):
            await eventually(lambda: heard, expecting="another try to connect")
            with pytest.raises(RequestError, match="the server offers no TLS"):
                await client.publish("s", "what is secret", tool_name="cat", timeout=3)
            assert b"".join(heard) == b""


STORES: list[tuple[str, dict[str, Any], str]] = [
    ("server.pem", {"ca_file": ""}, "authority that is trusted.*storage.ca_file"),
    ("server.pem", {"ca_file": "OTHER"}, "authority that is trusted.*storage.ca_file"),
    ("elsewhere.pem", {}, "for another name.*storage.endpoint"),
    ("expired.pem", {}, "has expired.*renew"),
    ("plain", {}, "does not speak TLS.*http://"),
]
STORE_KINDS = [f"{cert} {' '.join(changed)}" for cert, changed, _ in STORES]


def stored(world: World, cert: str, changed: dict[str, Any]) -> Settings:
    named = {name: str(world.certs.other_ca) if value == "OTHER" else value for name, value in changed.items()}
    return msgspec.convert({"storage": world.storage(cert, **named)}, Settings)


@pytest.mark.parametrize(("cert", "changed", "said"), STORES, ids=STORE_KINDS)
async def test_the_store_says_why_there_is_no_trust(
    world: World, cert: str, changed: dict[str, Any], said: str
) -> None:
    storage = stored(world, cert, changed).storage
    with pytest.raises(StoreRejected, match=said):
        await open_store(storage).get("a")
    with pytest.raises(StoreRejected, match=said):
        await place_of(storage).exists()


async def test_a_worker_does_not_start_on_a_store_that_it_does_not_trust(world: World) -> None:
    settings = world.settings()
    async with connected(settings, "provision") as nats:
        await provision(nats.jetstream(), place_of(settings.storage), settings)
    storage = msgspec.structs.replace(settings.storage, ca_file=str(world.certs.other_ca))
    worker = Worker(msgspec.structs.replace(settings, storage=storage))
    with pytest.raises(StoreRejected, match=r"storage\.ca_file"):
        await worker.start()
    await worker.stop()
