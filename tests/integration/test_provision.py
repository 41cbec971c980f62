"""Provisioning on a real server: idempotent, shows drift, mends what can be mended, refuses the rest."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from nats.js import JetStreamContext
from nats.js.api import RetentionPolicy, StreamConfig
from tests.support.servers import connected, deployed, unprovisioned, withdraw

from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import StoreRejected, StoreUnavailable
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.provisioning import Bucket, NotProvisioned, ProvisionError, drift, provision, verify


@pytest_asyncio.fixture
async def bare(nats_server: NatsServer, s3_server: S3Server) -> AsyncIterator[Settings]:
    settings = unprovisioned(nats_server, s3_server)
    yield settings
    await withdraw(settings)


@pytest_asyncio.fixture
async def js(nats_server: NatsServer, bare: Settings) -> AsyncIterator[JetStreamContext]:
    async with connected(bare) as client:
        yield client.jetstream()


def _name(settings: Settings, stream: str) -> str:
    return Subjects(settings.nats.prefix).stream(stream)


async def test_a_second_run_finds_nothing_to_do(js: JetStreamContext, bare: Settings) -> None:
    first = await provision(js, Bucket(bare.storage), bare)

    assert [line.split()[0] for line in first[:4]] == ["created"] * 4
    assert await provision(js, Bucket(bare.storage), bare) == []
    assert await drift(js, Bucket(bare.storage), bare) == []


async def test_streams_refuse_when_full_and_results_are_a_queue_that_never_expires(
    js: JetStreamContext, bare: Settings
) -> None:
    await provision(js, None, bare)

    results = (await js.stream_info(_name(bare, "results"))).config
    stubs = (await js.stream_info(_name(bare, "stubs"))).config
    dlq = (await js.stream_info(_name(bare, "dlq"))).config
    assert (results.retention, results.max_age) == ("workqueue", 0)
    assert {str(one.discard) for one in (results, stubs, dlq)} == {"new"}
    assert (stubs.max_age, stubs.allow_direct) == (7 * 86400, True)
    assert dlq.max_age == 30 * 86400


async def test_the_consumer_has_no_limit_that_a_delayed_retry_could_fill(js: JetStreamContext, bare: Settings) -> None:
    await provision(js, None, bare)

    config = (await js.consumer_info(_name(bare, "results"), "workers")).config
    assert (config.max_ack_pending, config.max_deliver, config.ack_wait) == (-1, -1, 10.0)


async def test_drift_names_all_that_is_missing_and_changes_nothing(js: JetStreamContext, bare: Settings) -> None:
    for _ in range(2):
        found = await drift(js, None, bare)
        assert [one.actual for one in found] == ["missing"] * 4


async def test_a_changed_limit_is_shown_and_mended(js: JetStreamContext, bare: Settings) -> None:
    await provision(js, None, bare)
    config = (await js.stream_info(_name(bare, "stubs"))).config
    await js.update_stream(config.evolve(max_bytes=1024 * 1024, description="an operator's note"))

    (found,) = await drift(js, None, bare)
    assert (found.field, found.declared, found.actual) == ("max_bytes", str(512 * 1024 * 1024), "1048576")
    assert await provision(js, None, bare) == [f"updated stream {_name(bare, 'stubs')}: max_bytes"]
    mended = (await js.stream_info(_name(bare, "stubs"))).config
    assert (mended.max_bytes, mended.description) == (512 * 1024 * 1024, "an operator's note")


async def test_a_changed_consumer_is_reported_and_mended(js: JetStreamContext, bare: Settings) -> None:
    await provision(js, None, bare)
    config = (await js.consumer_info(_name(bare, "results"), "workers")).config
    await js.add_consumer(_name(bare, "results"), config.evolve(ack_wait=33, max_ack_pending=5))

    with pytest.raises(NotProvisioned, match=r"ack_wait is 33, not 10.*coatcheck provision"):
        await verify(js, bare)
    assert await provision(js, None, bare) == ["updated consumer workers: ack_wait, max_ack_pending"]
    await verify(js, bare)


async def test_what_no_server_changes_in_place_is_refused_and_nothing_is_changed(
    js: JetStreamContext, bare: Settings
) -> None:
    name = _name(bare, "results")
    await js.add_stream(
        StreamConfig(name=name, subjects=[f"{bare.nats.prefix}.results.>"], retention=RetentionPolicy.LIMITS)
    )

    with pytest.raises(ProvisionError, match="retention is limits, not workqueue"):
        await provision(js, None, bare)
    assert [one.what for one in await drift(js, None, bare) if one.actual == "missing"] == [
        f"stream {_name(bare, 'stubs')}",
        f"stream {_name(bare, 'dlq')}",
        "consumer workers",
    ]


async def test_a_prefix_that_differs_in_case_alone_does_not_take_over_the_streams(
    nats_server: NatsServer, s3_server: S3Server, js: JetStreamContext, bare: Settings
) -> None:
    await provision(js, None, bare)
    shouted = unprovisioned(nats_server, s3_server, nats={"prefix": bare.nats.prefix.upper(), "url": nats_server.url})

    with pytest.raises(ProvisionError, match=r"another nats\.prefix"):
        await provision(js, None, shouted)
    await verify(js, bare)


@pytest.mark.parametrize("captured", ["{0}.read.>", "{0}.search.*", "{0}.replay.s1"])
async def test_a_stream_that_would_answer_requests_is_refused(
    js: JetStreamContext, bare: Settings, captured: str
) -> None:
    await provision(js, None, bare)
    thief = f"THIEF_{bare.nats.prefix}"
    await js.add_stream(StreamConfig(name=thief, subjects=[captured.format(bare.nats.prefix)], max_bytes=1024))
    try:
        with pytest.raises(NotProvisioned, match=thief):
            await verify(js, bare)
        with pytest.raises(ProvisionError, match=thief):
            await provision(js, None, bare)
    finally:
        await js.delete_stream(thief)


async def test_verify_says_what_to_run_where_nothing_is_there(js: JetStreamContext, bare: Settings) -> None:
    with pytest.raises(NotProvisioned, match=r"RESULTS is missing.*workers is missing.*`coatcheck provision`"):
        await verify(js, bare)


async def test_more_copies_than_servers_is_a_clear_error(nats_server: NatsServer, s3_server: S3Server) -> None:
    settings = unprovisioned(nats_server, s3_server, nats={"url": nats_server.url, "prefix": "copies", "replicas": 3})
    async with connected(settings) as client:
        with pytest.raises(ProvisionError, match="creating stream COPIES_RESULTS: replicas"):
            await provision(client.jetstream(), None, settings)


async def test_the_wrong_secret_key_is_named_as_such(nats_server: NatsServer, s3_server: S3Server) -> None:
    settings = unprovisioned(nats_server, s3_server, storage={"secret_key": "wrong"})
    with pytest.raises(StoreRejected, match="check the keys"):
        await Bucket(settings.storage).exists()


async def test_a_store_that_is_away_is_unavailable(nats_server: NatsServer, s3_server: S3Server) -> None:
    settings = unprovisioned(nats_server, s3_server, storage={"endpoint": "http://127.0.0.1:9"})
    with pytest.raises(StoreUnavailable, match="does not answer"):
        await Bucket(settings.storage).create()


async def test_two_deployments_on_one_server_do_not_meet(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with deployed(nats_server, s3_server) as one, deployed(nats_server, s3_server) as two:
        async with connected(one) as client:
            await client.jetstream().publish(f"{one.nats.prefix}.results.s.t.c", b"x")
            there = await client.jetstream().stream_info(_name(one, "results"))
            other = await client.jetstream().stream_info(_name(two, "results"))
        assert (there.state.messages, other.state.messages) == (1, 0)
