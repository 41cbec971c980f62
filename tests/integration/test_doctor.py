"""`coatcheck doctor` on real servers: each kind of fault is found, named, and has its advice."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import nats
import pytest
import pytest_asyncio
from click.testing import CliRunner, Result
from tests.support.commands import configured
from tests.support.servers import deployed, laid_by_provision, unprovisioned
from tests.support.workers import worker_here

from coatcheck.cli import main
from coatcheck_core.settings import Settings
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.commands.connecting import connected
from coatcheck_workers.deployment.workers import ask_workers
from coatcheck_workers.doctor import Finding, examine
from coatcheck_workers.embedded import NatsServer, S3Server, binaries
from coatcheck_workers.embedded.child import Child


@pytest_asyncio.fixture
async def deployment(nats_server: NatsServer, s3_server: S3Server) -> AsyncIterator[Settings]:
    """With all that provisioning lays out, the bucket's rules too."""
    async with laid_by_provision(nats_server, s3_server) as settings:
        yield settings


async def found_in(settings: Settings) -> dict[str, list[Finding]]:
    """The findings by their check."""
    found: dict[str, list[Finding]] = {}
    async for one in examine(settings, {"nats.url": "test.yaml"}, connected):
        found.setdefault(one.check, []).append(one)
    return found


def failing(found: dict[str, list[Finding]]) -> list[Finding]:
    failed = [one for all_of_it in found.values() for one in all_of_it if one.status == "fail"]
    assert all(one.mend for one in failed)
    return failed


async def doctor(settings: Settings, folder: Path, *argv: str) -> Result:
    """The command itself, in a thread, for it has an event loop of its own."""
    called = ["doctor", "--config", str(configured(settings, folder)), *argv]
    return await asyncio.to_thread(CliRunner().invoke, main, called)


def changed(settings: Settings, section: str, **values: object) -> Settings:
    """The settings with other values in a section."""
    return msgspec.structs.replace(settings, **{section: msgspec.structs.replace(getattr(settings, section), **values)})


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is no fault of the deployment: it is late itself, and waits for who is late."""
    monkeypatch.setattr("coatcheck_workers.doctor.workers.LAGGING_SECONDS", 60.0)
    monkeypatch.setattr("coatcheck_workers.doctor.store.SLOW_SECONDS", 60.0)
    monkeypatch.setattr(ask_workers, "__defaults__", (60.0,))


@pytest.mark.usefixtures("unhurried")
async def test_a_sound_deployment_is_well_from_end_to_end(deployment: Settings, tmp_path: Path) -> None:
    async with worker_here(deployment):
        result = await doctor(deployment, tmp_path, "--probe", "--json")
    told = json.loads(result.stdout)
    assert {one["check"]: one["status"] for one in told["findings"] if one["status"] != "ok"} == {}
    assert (result.exit_code, told["status"]) == (0, "ok")
    checks = {one["check"] for one in told["findings"]}
    assert checks >= {"nats", "layout", "clock", "streams", "consumers", "workers", "bucket", "storage", "probe"}


async def test_without_workers_the_doctor_says_to_start_some(deployment: Settings, tmp_path: Path) -> None:
    async with connected(deployment, "test") as client:
        await client.publish(Subjects(deployment.nats.prefix).request("results", "s") + ".t.c", b"{}")
        await client.flush()
    result = await doctor(deployment, tmp_path)
    assert result.exit_code == 1
    assert "fail  workers       no worker answers\n" in result.stdout
    assert "and no worker asks for them\n" in result.stdout
    assert result.stdout.count("-> start workers: `coatcheck worker`") == 2
    assert "2 failing" in result.stderr
    assert "\x1b" not in result.stdout


async def test_a_wrong_password_is_a_login_that_fails_and_is_not_shown(deployment: Settings) -> None:
    url = deployment.nats.url.rpartition("@")[2]
    found = await found_in(changed(deployment, "nats", url=f"nats://ann:hushed@{url}"))
    (failed,) = failing(found)
    assert (failed.check, "user 'ann'" in failed.found, "test.yaml" in failed.mend) == ("login", True, True)
    assert "hushed" not in str(found)
    assert found["storage"][0].status == "ok"


async def test_a_nats_server_that_is_away_is_told_and_the_store_looked_at_all_the_same(deployment: Settings) -> None:
    found = await found_in(changed(deployment, "nats", url="nats://127.0.0.1:1"))
    (failed,) = failing(found)
    assert (failed.check, "refused" in failed.found) == ("nats", True)
    assert found["storage"][0].status == "ok"


async def test_a_name_that_is_none_is_told(deployment: Settings) -> None:
    found = await found_in(changed(deployment, "nats", url="nats://no-such-host.invalid:4222"))
    assert ["DNS" in one.mend for one in failing(found)] == [True]


async def test_a_store_that_is_away_or_denies_is_told(deployment: Settings) -> None:
    away = failing(await found_in(changed(deployment, "storage", endpoint="http://127.0.0.1:1", timeout_seconds=1.0)))
    assert ("storage", True) in [(one.check, "does not answer" in one.found) for one in away]
    denied = failing(await found_in(changed(deployment, "storage", secret_key="wrong")))
    assert ("storage", True) in [(one.check, "denies" in one.found) for one in denied]
    assert "wrong" not in str(denied)


async def test_a_bucket_that_is_missing_is_named(deployment: Settings) -> None:
    found = failing(await found_in(changed(deployment, "storage", bucket="no-such-bucket")))
    assert [(one.found, "coatcheck provision" in one.mend) for one in found if one.check == "bucket"] == [
        ("bucket no-such-bucket is missing, not there", True)
    ]


async def test_a_stream_that_was_changed_is_named_with_its_field(deployment: Settings) -> None:
    name = Subjects(deployment.nats.prefix).stream("stubs")
    async with connected(deployment, "test") as client:
        js = client.jetstream()
        await js.update_stream((await js.stream_info(name)).config.evolve(max_bytes=1024**2))
    (failed,) = [one for one in failing(await found_in(deployment)) if one.check == "layout"]
    assert failed.found == f"stream {name}: max_bytes is 1048576, not 536870912"
    assert "coatcheck provision" in failed.mend


async def test_what_was_never_laid_out_is_named_stream_by_stream(nats_server: NatsServer, s3_server: S3Server) -> None:
    found = await found_in(unprovisioned(nats_server, s3_server))
    missing = [one for one in found["layout"] if "is missing" in one.found]
    assert len(missing) == 9  # seven streams, two consumers
    assert {one.mend for one in missing} == {"run `coatcheck provision` with the same configuration"}


@pytest_asyncio.fixture
async def bare_nats(tmp_path: Path) -> AsyncIterator[str]:
    """The URL of a server without JetStream."""
    argv: list[str | Path] = [binaries.nats_server(), "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", str(tmp_path)]
    child = await Child.start("nats-server", argv, log=tmp_path / "nats.log")
    ports = tmp_path / f"nats-server_{child.pid}.ports"

    async def is_known() -> bool:
        return ports.exists() and b"]" in ports.read_bytes()

    await child.until(is_known, 30)
    yield json.loads(ports.read_text())["nats"][0]
    await child.kill()


async def test_a_server_without_jetstream_is_told_how_to_get_it(deployment: Settings, bare_nats: str) -> None:
    found = failing(await found_in(changed(deployment, "nats", url=bare_nats)))
    assert [one.check for one in found] == ["nats", "jetstream", "workers"]
    assert "-js" in found[0].mend


async def test_a_bucket_without_its_rule_is_named(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with deployed(nats_server, s3_server) as settings:
        found = await found_in(settings)
    (rule,) = found["bucket"]
    assert "/v1/passing/ goes after 8 days is missing" in rule.found
    assert "coatcheck provision" in rule.mend
    assert found["storage"][0].status == "ok"


async def test_letters_that_wait_are_counted_by_reason(deployment: Settings) -> None:
    subject = f"{deployment.nats.prefix}.dlq.s.t.c"
    client = await nats.connect(deployment.nats.url, connect_timeout=30)
    for reason in ("invalid_json", "invalid_json", "store_failure"):
        await client.jetstream().publish(subject, b"{", headers={"Coat-Reason": reason})
    await client.close()
    (letters,) = (await found_in(deployment))["dead letters"]
    assert (letters.status, letters.found) == ("warn", "3 wait: 2 invalid_json, 1 store_failure")


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("as_json", [True, False])
async def test_top_looks_once_into_a_pipe(deployment: Settings, tmp_path: Path, as_json: bool) -> None:
    async with worker_here(deployment):
        called = ["top", "--config", str(configured(deployment, tmp_path)), "--once", "--interval", "0.2"]
        argv = [*called, "--session", "s1", *(["--json"] if as_json else [])]
        result = await asyncio.to_thread(CliRunner().invoke, main, argv)
    assert (result.exit_code, result.stderr) == (0, "")
    if as_json:
        told = json.loads(result.stdout)
        assert [len(told["workers"]), told["backlog"], len(told["streams"]), told["newest"]] == [1, 0, 7, []]
        assert told["workers"][0]["rss_bytes"] > 1024**2
    else:
        assert "1 worker" in result.stdout.splitlines()[0]
