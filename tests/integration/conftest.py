"""What the tests on real servers share."""

from collections.abc import AsyncIterator

import pytest_asyncio
from tests.support.workers import worker_here

import coatcheck
from coatcheck_core.settings import Settings


@pytest_asyncio.fixture
async def client(deployment: Settings) -> AsyncIterator[coatcheck.Client]:
    """A client, with a worker beside it in this process."""
    async with (
        worker_here(deployment),
        coatcheck.connect(deployment.nats.url, prefix=deployment.nats.prefix) as connected,
    ):
        yield connected
