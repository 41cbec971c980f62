"""What `up` makes of the configuration."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck_core.settings import ConfigError, Settings, load
from coatcheck_core.settings.model import GIB, MIB, StreamSettings, StreamsSettings
from coatcheck_workers.provisioning import declared
from coatcheck_workers.up import Plan
from coatcheck_workers.up.plan import GRACE_SECONDS, Served, answered, capped, effective

SERVED = Served(
    nats_url="nats://admin:pw@127.0.0.1:1", s3_endpoint="http://127.0.0.1:2", s3_access_key="k", s3_secret_key="s"
)


def _plan(*assignments: str) -> Plan:
    configured, _ = load(assignments=assignments)
    return Plan.make(configured, data_dir=Path("somewhere"), workers=2, ready_file=None)


def test_ports_are_free_ones_unless_configured() -> None:
    plan = _plan()
    assert (plan.nats_port, plan.s3_port) == (None, None)


def test_configured_loopback_urls_choose_the_ports() -> None:
    plan = _plan("nats.url=nats://localhost:4222", "storage.endpoint=http://127.0.0.1:9000")
    assert (plan.nats_port, plan.s3_port) == (4222, 9000)


def test_another_store_than_its_own_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"storage\.url is set, but `coatcheck up` runs its own S3 server"):
        _plan("storage.url=file:///data")


def test_a_nats_url_may_be_host_and_port_alone() -> None:
    assert _plan("nats.url=127.0.0.1:4222").nats_port == 4222


@pytest.mark.parametrize(
    "assignment",
    [
        "nats.url=nats://nats.example:4222",
        "nats.url=nats://127.0.0.1:4222,nats://127.0.0.1:4223",
        "nats.url=nats://127.0.0.1",
        "nats.url=nats://127.0.0.1:99999",
        "nats.url=nats://[::1",
        "nats.url=tls://127.0.0.1:4222",
        "nats.url=nats://user:pw@127.0.0.1:4222",
        "storage.endpoint=https://127.0.0.1:9000",
        "storage.endpoint=http://s3.example:9000",
        "storage.endpoint=http://127.0.0.1:9000/path",
    ],
)
def test_a_server_that_up_does_not_run_is_refused(assignment: str) -> None:
    with pytest.raises(ConfigError, match=assignment.partition("=")[0]):
        _plan(assignment)


@pytest.mark.parametrize(
    "key", ["nats.user", "nats.password_file", "storage.access_key", "storage.secret_key", "storage.secret_key_file"]
)
def test_credentials_that_would_have_no_effect_are_refused(key: str) -> None:
    with pytest.raises(ConfigError, match=f"{key} is set"):
        _plan(f"{key}=x")


def test_copies_that_one_server_cannot_keep_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"nats\.replicas must be 1"):
        _plan("nats.replicas=3")


def test_workers_get_the_servers_and_every_other_setting() -> None:
    configured, _ = load(assignments=["result.threshold=40", "tools.a.b.never=true", "nats.prefix=p"])
    made = effective(configured, SERVED, 1024 * GIB)
    assert (made.nats.url, made.storage.secret_key) == (SERVED.nats_url, "s")
    assert (made.nats.prefix, made.result, made.tools, made.streams) == (
        "p",
        configured.result,
        configured.tools,
        configured.streams,
    )


def test_the_workers_file_says_the_settings_back() -> None:
    configured, _ = load(assignments=["result.threshold=40", "tools.a.b.result.threshold=7", "tools.c.never=true"])
    made = effective(configured, SERVED, 3 * GIB)
    assert load(("worker.yaml", msgspec.yaml.encode(made).decode()))[0] == made


def test_a_workers_grace_fits_into_the_time_in_which_up_stops() -> None:
    configured, _ = load(assignments=["worker.grace_seconds=60"])
    assert effective(configured, SERVED, GIB).worker.grace_seconds == GRACE_SECONDS


def test_limits_that_fit_stay_as_they_are() -> None:
    streams = Settings().streams
    assert capped(streams, 20 * GIB) == streams


limits = st.integers(MIB, 64 * GIB)


@settings(max_examples=100)
@given(st.fixed_dictionaries(dict.fromkeys(StreamsSettings.__struct_fields__, limits)), st.integers(0, 100 * GIB))
def test_capped_limits_fit_the_room_and_none_grows_or_vanishes(before: dict[str, int], room: int) -> None:
    configured = StreamsSettings(**{name: StreamSettings(max_bytes=limit) for name, limit in before.items()})
    after = {name: section.max_bytes for name, section in msgspec.structs.asdict(capped(configured, room)).items()}
    assert sum(limit for limit in after.values() if limit > MIB) <= room
    assert all(MIB <= after[name] <= limit for name, limit in before.items())


def test_every_declared_stream_has_its_limit_from_the_settings_that_are_capped() -> None:
    made = effective(Settings(), SERVED, 0)
    assert {stream.max_bytes for stream in declared.streams(made)} == {MIB}
    assert len(declared.streams(made)) == len(StreamsSettings.__struct_fields__)


def planned(*assignments: str, workers: int = 2) -> Plan:
    configured, _ = load(assignments=assignments)
    return Plan.make(configured, data_dir=Path("d"), workers=workers, ready_file=None)


def test_each_worker_has_a_port_of_its_own_and_the_workers_file_none() -> None:
    plan = planned("http.port=9464", workers=3)
    assert plan.http_ports == [9464, 9465, 9466]
    assert plan.worker_http == [f"http://127.0.0.1:{port}" for port in plan.http_ports]
    assert effective(plan.settings, SERVED, GIB).http.port == 0


def test_without_a_port_no_worker_answers_over_http() -> None:
    assert not planned().http_ports
    assert not planned().worker_http


@pytest.mark.parametrize(("host", "asked"), [("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]")])
def test_where_the_workers_answer_is_an_address_to_ask_at(host: str, asked: str) -> None:
    assert planned("http.port=80", f"http.host={host}", workers=1).worker_http == [f"http://{asked}:80"]


@pytest.mark.parametrize("assignments", [("http.port=65535",), ("http.port=4221", "nats.url=nats://127.0.0.1:4222")])
def test_ports_that_there_are_not_or_that_a_server_has_are_refused(assignments: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match=r"http\.port is \d+.*: choose"):
        planned(*assignments)


@pytest.mark.parametrize(
    ("prefixes", "box"),
    [(["_INBOX."], ""), (["reply.here.", "_INBOX."], ""), (["reply.here.", "other."], "reply.here")],
)
def test_who_asks_is_answered_where_workers_may_answer(prefixes: list[str], box: str) -> None:
    configured = msgspec.convert({"requests": {"inbox_prefixes": prefixes}}, Settings)
    assert answered(configured).nats.inbox_prefix == box
