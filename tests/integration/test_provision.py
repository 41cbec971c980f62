"""Provisioning on a real server: idempotent, shows drift, mends what can be mended, refuses the rest."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio
from nats.js import JetStreamContext
from nats.js.api import AccountInfo, AckPolicy, ConsumerConfig, DiscardPolicy, RetentionPolicy, StreamConfig
from tests.support.servers import STREAMS, connected, deployed, unprovisioned, withdraw

from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import StoreRejected, StoreUnavailable
from coatcheck_schemas.subjects import CallAddress, Subjects, TurnAddress
from coatcheck_workers.embedded import NatsServer, S3Server
from coatcheck_workers.provisioning import NotProvisioned, ProvisionError, drift, place_of, provision, verify


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


def _consumers(settings: Settings) -> list[str]:
    return [f"consumer workers of {_name(settings, stream)}" for stream in ("results", "held")]


async def test_a_second_run_finds_nothing_to_do(js: JetStreamContext, bare: Settings) -> None:
    first = await provision(js, place_of(bare.storage), bare)

    laid = [*(f"stream {_name(bare, name)}" for name in STREAMS), *_consumers(bare)]
    assert first[: len(laid)] == [f"created {what}" for what in laid]
    assert await provision(js, place_of(bare.storage), bare) == []
    assert await drift(js, place_of(bare.storage), bare) == []


async def test_what_most_tests_begin_with_is_what_provision_lays_but_for_the_rule_of_the_bucket(
    deployment: Settings,
) -> None:
    async with connected(deployment) as client:
        (found,) = await drift(client.jetstream(), place_of(deployment.storage), deployment)
    assert found.what.startswith(f"bucket {deployment.storage.bucket}: that what lies below")


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


async def test_the_ledger_is_kept_as_long_as_the_stubs_and_what_is_held_as_long_as_it_takes(
    js: JetStreamContext, bare: Settings
) -> None:
    await provision(js, None, bare)

    ledger = (await js.stream_info(_name(bare, "ledger"))).config
    held = (await js.stream_info(_name(bare, "held"))).config
    assert (ledger.max_age, ledger.max_msgs_per_subject, ledger.allow_direct) == (7 * 86400, 1, True)
    assert (held.retention, held.max_age, held.allow_direct) == ("workqueue", 0, True)
    assert held.allow_msg_schedules
    assert not held.deny_purge
    assert {str(one.discard) for one in (ledger, held)} == {"new"}


@pytest.mark.parametrize("stream", ["results", "held"])
async def test_a_consumer_has_no_limit_that_a_delayed_retry_could_fill(
    js: JetStreamContext, bare: Settings, stream: str
) -> None:
    await provision(js, None, bare)

    config = (await js.consumer_info(_name(bare, stream), "workers")).config
    assert (config.max_ack_pending, config.max_deliver, config.ack_wait) == (-1, -1, 10.0)


async def test_what_is_held_comes_to_the_workers_at_its_time_with_body_and_headers(
    js: JetStreamContext, bare: Settings
) -> None:
    await provision(js, None, bare)
    subjects, turn = Subjects(bare.nats.prefix), TurnAddress("s", "t")
    at = datetime.now(UTC) + timedelta(seconds=0.2)
    headers = {
        "Nats-Schedule": f"@at {at.isoformat()}",
        "Nats-Schedule-Target": subjects.due(turn, "result", "r"),
        "Coat-Own": "1",
    }
    await js.publish(subjects.held(turn, "result", "r"), b"body", headers=headers)

    due = await js.pull_subscribe_bind("workers", subjects.stream("held"))
    (message,) = await due.fetch(1, timeout=30)
    assert (message.subject, message.data) == (subjects.due(turn, "result", "r"), b"body")
    assert (message.headers or {})["Coat-Own"] == "1"
    await message.ack_sync()
    assert (await js.stream_info(subjects.stream("held"))).state.messages == 0


async def test_drift_names_all_that_is_missing_and_changes_nothing(js: JetStreamContext, bare: Settings) -> None:
    for _ in range(2):
        found = await drift(js, None, bare)
        assert [one.actual for one in found] == ["missing"] * (len(STREAMS) + 2)


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
    (consumer, _) = _consumers(bare)
    assert await provision(js, None, bare) == [f"updated {consumer}: ack_wait, max_ack_pending"]
    await verify(js, bare)


async def test_a_consumer_that_hears_what_is_not_due_is_mended(js: JetStreamContext, bare: Settings) -> None:
    await provision(js, None, bare)
    held, subjects = _name(bare, "held"), Subjects(bare.nats.prefix)
    config = (await js.consumer_info(held, "workers")).config
    await js.add_consumer(held, config.evolve(filter_subject=subjects.everything_held))

    with pytest.raises(NotProvisioned, match="filter_subject is"):
        await verify(js, bare)
    (_, consumer) = _consumers(bare)
    assert await provision(js, None, bare) == [f"updated {consumer}: filter_subject"]
    await verify(js, bare)


async def test_a_ledger_that_forgets_or_keeps_too_much_is_mended(js: JetStreamContext, bare: Settings) -> None:
    await provision(js, None, bare)
    config = (await js.stream_info(_name(bare, "ledger"))).config
    await js.update_stream(config.evolve(max_msgs_per_subject=3, max_age=600))

    done = await provision(js, None, bare)
    assert done == [f"updated stream {_name(bare, 'ledger')}: max_age, max_msgs_per_subject"]


async def test_a_stream_that_does_not_let_schedule_is_mended(js: JetStreamContext, bare: Settings) -> None:
    subjects = Subjects(bare.nats.prefix)
    plain = StreamConfig(
        name=subjects.stream("held"),
        subjects=[subjects.everything_held, subjects.everything_due],
        retention=RetentionPolicy.WORK_QUEUE,
    )
    await js.add_stream(plain)

    await provision(js, None, bare)
    assert (await js.stream_info(subjects.stream("held"))).config.allow_msg_schedules


async def test_a_queue_in_which_a_publisher_could_schedule_is_refused_before_anything_is_changed(
    js: JetStreamContext, bare: Settings
) -> None:
    subjects = Subjects(bare.nats.prefix)
    open_to_all = StreamConfig(
        name=subjects.stream("results"),
        subjects=[subjects.every_result, subjects.every_turn],
        retention=RetentionPolicy.WORK_QUEUE,
        allow_msg_schedules=True,
    )
    await js.add_stream(open_to_all)

    with pytest.raises(ProvisionError, match="allow_msg_schedules is True, not none"):
        await provision(js, None, bare)
    assert f"stream {_name(bare, 'stubs')}" in [one.what for one in await drift(js, None, bare)]


async def test_the_layout_of_the_version_before_is_brought_up_and_loses_nothing(
    js: JetStreamContext, bare: Settings
) -> None:
    subjects = Subjects(bare.nats.prefix)
    before = StreamConfig(
        name=subjects.stream("results"),
        subjects=[subjects.every_result],
        retention=RetentionPolicy.WORK_QUEUE,
        discard=DiscardPolicy.NEW,
        max_bytes=bare.streams.results.max_bytes,
    )
    await js.add_stream(before)
    await js.add_consumer(
        before.name or "",
        ConsumerConfig(
            durable_name="workers",
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=bare.worker.ack_wait_seconds,
            max_deliver=-1,
            max_ack_pending=-1,
        ),
    )
    for number in range(3):
        await js.publish(subjects.results(CallAddress("s", "t", f"c{number}")), b"%d" % number)
    pull = await js.pull_subscribe_bind("workers", before.name or "")
    (in_hand,) = await pull.fetch(1)

    done = await provision(js, None, bare)

    consumers = _consumers(bare)
    assert f"updated stream {before.name}: subjects" in done
    assert f"created {consumers[1]}" in done
    assert not any(consumers[0] in line for line in done)
    await verify(js, bare)
    await in_hand.ack_sync()
    await js.publish(subjects.turn_end(TurnAddress("s", "t")), b"{}")
    waiting = await pull.fetch(3, timeout=30)
    assert [message.data for message in waiting] == [b"1", b"2", b"{}"]


async def test_a_server_that_cannot_schedule_is_told_which_can(
    js: JetStreamContext, bare: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = await js.account_info()
    account.api.level = 1

    async def older() -> AccountInfo:
        return account

    monkeypatch.setattr(js, "account_info", older)
    for refused in (provision(js, None, bare), drift(js, None, bare), verify(js, bare)):
        with pytest.raises(ProvisionError, match=r"nats-server 2\.12 or newer"):
            await refused


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
        *(f"stream {_name(bare, name)}" for name in ("chunks", "stubs", "dlq", "ledger", "held", "deleted")),
        *_consumers(bare),
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
    with pytest.raises(
        NotProvisioned, match=r"RESULTS is missing.*workers of .*HELD is missing.*`coatcheck provision`"
    ):
        await verify(js, bare)


async def test_more_copies_than_servers_is_a_clear_error(nats_server: NatsServer, s3_server: S3Server) -> None:
    settings = unprovisioned(nats_server, s3_server, nats={"url": nats_server.url, "prefix": "copies", "replicas": 3})
    async with connected(settings) as client:
        with pytest.raises(ProvisionError, match="creating stream COPIES_RESULTS: replicas"):
            await provision(client.jetstream(), None, settings)


async def test_the_wrong_secret_key_is_named_as_such(nats_server: NatsServer, s3_server: S3Server) -> None:
    settings = unprovisioned(nats_server, s3_server, storage={"secret_key": "wrong"})
    with pytest.raises(StoreRejected, match="check the keys"):
        await place_of(settings.storage).exists()


async def test_a_store_that_is_away_is_unavailable(nats_server: NatsServer, s3_server: S3Server) -> None:
    settings = unprovisioned(nats_server, s3_server, storage={"endpoint": "http://127.0.0.1:9"})
    with pytest.raises(StoreUnavailable, match="does not answer"):
        await place_of(settings.storage).create()


async def test_two_deployments_on_one_server_do_not_meet(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with deployed(nats_server, s3_server) as one, deployed(nats_server, s3_server) as two:
        async with connected(one) as client:
            await client.jetstream().publish(f"{one.nats.prefix}.results.s.t.c", b"x")
            there = await client.jetstream().stream_info(_name(one, "results"))
            other = await client.jetstream().stream_info(_name(two, "results"))
        assert (there.state.messages, other.state.messages) == (1, 0)
