"""COAT_HELD is full when what it holds falls due: nothing is stranded, and what waits behind it comes through."""

import pytest
from tests.support.agents import agent, waiting_results
from tests.support.servers import MIB, connected, deployed
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.flow import overdue

LARGE, SMALL = 260, 20


async def test_what_cannot_fall_due_is_taken_all_the_same(
    nats_server: NatsServer, s3_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overdue, "EACH_SECONDS", 0.5)
    monkeypatch.setattr(overdue, "MARGIN_SECONDS", 2.0)
    sections = {
        "turn": {"deadline_seconds": 3},
        "storage": {"retry_max_seconds": 1},
        "streams": {"held": {"max_bytes": MIB}},
    }
    async with (
        deployed(nats_server, s3_server, **sections) as settings,
        worker_here(settings),
        worker_here(settings),
        agent(settings) as one,
        connected(settings) as client,
    ):
        held = Subjects(settings.nats.prefix).stream("held")
        # Each turn lacks a result, so that only its deadline lets it go; the small ones leave no room to what fires.
        for number in range(LARGE):
            await one.publish("c", f"{number} " * 1100, turn=f"t{number}", turn_size=2)
        for number in range(SMALL):
            await one.publish("c", "x" * 50, turn=f"u{number}", turn_size=2)

        await eventually(lambda: len(one.events) == LARGE + SMALL, 60, expecting="every stub")
        assert set(one.subject_counts.values()) == {1}

        async def is_empty() -> bool:
            left = (await client.jetstream().stream_info(held)).state.messages
            return not left and not await waiting_results(settings)

        await eventually(is_empty, expecting="nothing held, and nothing in the queue")
