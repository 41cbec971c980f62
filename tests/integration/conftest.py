"""What the tests on real servers share."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tests.support.workers import worker_here

import coatcheck
from coatcheck_core.settings import Settings


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever leaves a turn waits for its manifest as long as a busy machine may take to settle it."""
    monkeypatch.setattr("coatcheck.client.turns.SETTLED_SECONDS", 60.0)
    monkeypatch.setattr(coatcheck.Turn.wait_settled, "__defaults__", (60.0,))


@pytest_asyncio.fixture
async def client(deployment: Settings) -> AsyncIterator[coatcheck.Client]:
    """A client, with a worker beside it in this process."""
    async with (
        worker_here(deployment),
        coatcheck.connect(deployment.nats.url, prefix=deployment.nats.prefix) as connected,
    ):
        yield connected
