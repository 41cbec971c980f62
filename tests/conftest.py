"""Real servers for every test that asks: started once, or one's own where a test kills it.

A server that cannot start is an error of the test, never a reason to skip it.
"""

import gc
import signal
from collections.abc import AsyncIterator, Generator
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, settings
from tests.support.ports import reserved_port, reserved_s3_ports
from tests.support.servers import BUCKET, deployed, laid_by_provision, stored_on

from coatcheck_core.settings import Settings
from coatcheck_core.settings.model import StorageSettings
from coatcheck_workers.embedded import NatsServer, S3Server

settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("exploring", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")
"""The same examples in each run, for as long as they take: what nobody changed fails for nobody.

`pytest --hypothesis-profile exploring tests/property` looks at others each time.
"""


def pytest_configure() -> None:
    """A shell has what runs in its background ignore SIGINT, and with it whatever process a test starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What ten thousand tests consist of stays to the end: no use in looking through it for garbage, time and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest_asyncio.fixture(scope="session")
async def nats_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[NatsServer]:
    """The NATS server that all tests share; a test uses a prefix of its own on it, and leaves it running."""
    async for server in _nats(tmp_path_factory.mktemp("nats")):
        yield server


@pytest_asyncio.fixture(scope="session")
async def s3_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[S3Server]:
    """The S3 server that all tests share; a test uses a prefix of its own on it, and leaves it running."""
    async for server in _s3(tmp_path_factory.mktemp("s3")):
        yield server


@pytest_asyncio.fixture
async def own_nats(tmp_path: Path) -> AsyncIterator[NatsServer]:
    """A NATS server for a test that kills it; `start` brings it back on the same port with the same data."""
    async for server in _nats(tmp_path / "nats"):
        yield server


@pytest_asyncio.fixture
async def own_s3(tmp_path: Path) -> AsyncIterator[S3Server]:
    """An S3 server for a test that kills it; `start` brings it back on the same port with the same data."""
    async for server in _s3(tmp_path / "s3"):
        yield server


@pytest_asyncio.fixture
async def deployment(nats_server: NatsServer, s3_server: S3Server) -> AsyncIterator[Settings]:
    """Settings of a deployment of one's own on the shared servers, laid out; `deployed` takes other settings."""
    async with deployed(nats_server, s3_server) as settings:
        yield settings


@pytest_asyncio.fixture
async def provisioned(nats_server: NatsServer, s3_server: S3Server) -> AsyncIterator[Settings]:
    """As `deployment`, by the service's own provisioning, the bucket's rule included: for who looks at the layout."""
    async with laid_by_provision(nats_server, s3_server) as settings:
        yield settings


@pytest_asyncio.fixture
async def storage(s3_server: S3Server) -> StorageSettings:
    """A prefix of one's own in the bucket on the shared S3 server, for who needs no NATS."""
    return await stored_on(s3_server)


async def _nats(data_dir: Path) -> AsyncIterator[NatsServer]:
    server = NatsServer(data_dir, port=reserved_port())
    await server.start()
    yield server
    await server.kill()


async def _s3(data_dir: Path) -> AsyncIterator[S3Server]:
    server = S3Server(data_dir, bucket=BUCKET)
    server._ports = reserved_s3_ports()
    await server.start()
    yield server
    await server.kill()
