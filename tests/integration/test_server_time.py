"""Deadlines go by NATS's time, whatever a worker's own clock says."""

from datetime import datetime, timedelta

import pytest
from tests.support.agents import agent
from tests.support.servers import connected, deployed
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.clock import utc_now
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.streams.server_time import ServerTime


@pytest.mark.parametrize("seconds", [-3600, 0, 3600])
async def test_it_is_the_server_s_time_whatever_the_machine_s_clock_says(seconds: int, deployment: Settings) -> None:
    async with connected(deployment) as client:
        subjects = Subjects(deployment.nats.prefix)
        time = ServerTime(client, subjects.stream("results"), lambda: utc_now() + timedelta(seconds=seconds))
        await time.measure()
        assert abs(time() - utc_now()) < timedelta(seconds=10)


async def test_without_an_answer_the_last_correction_stands(deployment: Settings) -> None:
    async with connected(deployment) as client:
        time = ServerTime(client, Subjects(deployment.nats.prefix).stream("no_such"))
        await time.measure()
        assert abs(time() - utc_now()) < timedelta(seconds=10)


@pytest.mark.parametrize("seconds", [-90, 90])
async def test_a_worker_whose_clock_is_wrong_meets_a_turn_s_deadline(
    seconds: int, nats_server: NatsServer, s3_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong() -> datetime:
        return utc_now() + timedelta(seconds=seconds)

    monkeypatch.setattr(ServerTime.__init__, "__defaults__", (wrong,))
    async with (
        deployed(nats_server, s3_server, turn={"deadline_seconds": 1}) as settings,
        worker_here(settings),
        agent(settings) as it,
    ):
        await it.publish("c1", "waits", turn="t1", turn_size=2)
        assert (await it.stub("c1", "t1")).disposition == "inline"
