"""A message that the server left behind, on a real stream: it comes to a worker after all, and to nobody twice."""

from tests.support.agents import agent, waiting_results
from tests.support.servers import connected, deployed
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.flow.left_behind import LeftBehind
from coatcheck_workers.streams.log import JetStreamLog
from coatcheck_workers.streams.publishing import Publisher
from coatcheck_workers.streams.tombstone import NoTombstones
from coatcheck_workers.worker import ack_floor


async def look_twice(settings: Settings, floor: int) -> None:
    subjects = Subjects(settings.nats.prefix)
    async with connected(settings) as client:

        async def pretended() -> int:
            return floor

        left_behind = LeftBehind(
            JetStreamLog(client, subjects.stream("results"), 5),
            Publisher(client, subjects, 5),
            pretended,
            NoTombstones(),
        )
        await left_behind.look()
        await left_behind.look()


async def test_what_no_consumer_is_given_any_more_is_handled_and_heard_once(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    async with deployed(nats_server, s3_server) as settings, agent(settings) as one:
        for number in range(3):
            await one.publish(f"c{number}", f"result {number}")
        await look_twice(settings, floor=2)
        async with connected(settings) as client:
            info = await client.jetstream().stream_info(Subjects(settings.nats.prefix).stream("results"))
        assert (info.state.first_seq, info.state.messages) == (3, 3)
        async with worker_here(settings):
            await eventually(lambda: len(one.events) == 3, expecting="every stub")
            await one.publish("c0", "result 0")  # as one that was handled before it was left behind

            async def is_empty() -> bool:
                return not await waiting_results(settings)

            await eventually(is_empty, expecting="nothing in the queue")
    assert set(one.subject_counts.values()) == {1}


async def test_the_floor_is_up_to_where_all_is_acknowledged(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with deployed(nats_server, s3_server) as settings, agent(settings) as one, connected(settings) as client:
        subjects = Subjects(settings.nats.prefix)
        await one.publish("c", "x")
        assert await ack_floor(client.jetstream(), subjects) == 0
        async with worker_here(settings):
            await eventually(lambda: len(one.events) == 1, expecting="the stub")

            async def is_acknowledged() -> bool:
                return await ack_floor(client.jetstream(), subjects) == 1

            await eventually(is_acknowledged, expecting="the floor to rise")
