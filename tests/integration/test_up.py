"""`coatcheck up`, end to end, as a person or another program runs it."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import minio
import nats
import pytest
import pytest_asyncio
import yaml
from click.testing import CliRunner
from tests.support.http import get
from tests.support.ports import reserved_port
from tests.support.up import UpProcess, all_gone, up
from tests.support.wait import eventually

import coatcheck
from coatcheck.cli import main

STOP_SECONDS = 60.0
"""Six times what it gives its children, for a busy machine."""
FIELDS = {"nats_url", "s3_endpoint", "s3_access_key", "s3_secret_key", "s3_bucket", "worker_pids"}


async def _messages(ready: dict[str, Any], stream: str) -> int:
    client = await nats.connect(ready["nats_url"], connect_timeout=30)
    try:
        info = await client.jetstream().stream_info(stream)
    finally:
        await client.close()
    return info.state.messages


async def _publish(ready: dict[str, Any], subject: str) -> None:
    client = await nats.connect(ready["nats_url"], connect_timeout=30)
    try:
        await client.jetstream().publish(subject, b"kept")
    finally:
        await client.close()


async def _listed(ready: dict[str, Any], inbox: str) -> dict[str, Any]:
    """What a client whose replies come to that inbox is told of a session."""
    client = await nats.connect(ready["nats_url"], connect_timeout=30, inbox_prefix=inbox.encode())
    try:
        reply = await client.request("coat.list.s", b"{}", timeout=30)
    finally:
        await client.close()
    return dict(json.loads(reply.data)["ok"])


def _buckets(ready: dict[str, Any]) -> list[str]:
    address = ready["s3_endpoint"].removeprefix("http://")
    client = minio.Minio(address, ready["s3_access_key"], ready["s3_secret_key"], secure=False)
    return [bucket.name for bucket in client.list_buckets()]


@pytest_asyncio.fixture(scope="module")
async def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[UpProcess]:
    """One that the tests which only look at it share."""
    async with up(tmp_path_factory.mktemp("up") / "data", "--workers", "1") as running:
        await running.ready()
        yield running


async def test_once_ready_everything_answers_as_the_ready_file_says(tmp_path: Path) -> None:
    asked_for = tmp_path / "ready-for-me.json"
    async with up(tmp_path / "data", "--ready-file", asked_for) as running:
        ready = await running.ready()

        assert set(ready) == FIELDS
        # The one that was asked for comes last: whoever waits for it finds the deployment's own there too.
        await eventually(asked_for.exists, expecting="the ready file that was asked for")
        assert json.loads(asked_for.read_text()) == ready
        assert stat.S_IMODE(asked_for.stat().st_mode) == 0o600
        assert len(ready["worker_pids"]) == 2
        assert set(ready["worker_pids"]) < running.family()
        assert "coatcheck" in await asyncio.to_thread(_buckets, ready)
        assert await _messages(ready, "COAT_RESULTS") == 0

        family = running.family()
        running.signal(signal.SIGTERM)
        assert await running.end(STOP_SECONDS) == 0
        assert all_gone(family)
        assert not asked_for.exists()
        assert running.ready_now() is None


async def test_each_command_works_with_the_configuration_that_is_named(undisturbed: UpProcess) -> None:
    await undisturbed.ready()
    config = str(undisturbed.data_dir / "admin.yaml")
    await eventually(lambda: f"--config {config} exec" in undisturbed.text())
    for command in (["dlq", "list"], ["provision", "--check"], ["list", "--session", "s1"]):
        done = await asyncio.to_thread(CliRunner().invoke, main, ["--config", config, *command])
        assert done.exit_code == 0, done.output


async def test_secrets_are_in_private_files_and_nowhere_else(undisturbed: UpProcess) -> None:
    ready = await undisturbed.ready()
    password = ready["nats_url"].partition("@")[0].rpartition(":")[2]
    workers = [json.loads((undisturbed.data_dir / of / "worker.json").read_text())["secret"] for of in ("nats", "s3")]
    secrets = (password, ready["s3_secret_key"], *workers)
    assert len(set(secrets)) == 4

    lines = undisturbed.command_lines()
    assert len(lines) == 3
    assert not any(secret in line for secret in secrets for line in lines.values())
    assert not any(secret.encode() in undisturbed.environment(pid) for secret in secrets for pid in lines)
    assert not any(secret in undisturbed.text() for secret in secrets)
    for file in undisturbed.data_dir.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # the servers write and remove files of their own meanwhile
            if file.is_file() and any(secret.encode() in file.read_bytes() for secret in secrets):
                assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert stat.S_IMODE(undisturbed.data_dir.stat().st_mode) == 0o700


async def test_an_agent_that_is_granted_is_let_in_and_once_revoked_is_not(undisturbed: UpProcess) -> None:
    host = (await undisturbed.ready())["nats_url"].rpartition("@")[2]
    secret = undisturbed.data_dir.with_name("agent.password")
    agents = undisturbed.data_dir / "nats" / "agents.conf"
    grant = ["grant", "--role", "agent", "--session", "s1", "--agents-file", str(agents)]
    assert CliRunner().invoke(main, [*grant, "--out", str(secret)]).exit_code == 0

    url = f"nats://agent.s1:{secret.read_text().strip()}@{host}"
    await eventually(lambda: _is_let_in(url), expecting="to be let in")
    async with coatcheck.connect(url) as client:
        event = await client.submit("s1", "a line of a log\n" * 5000, tool_name="cat")
        assert (await client.read("s1", event.ref, limit=6)).content == "a line"
        assert CliRunner().invoke(main, [*grant, "--revoke"]).exit_code == 0
        await eventually(lambda: not client._connection.nats.is_connected, expecting="to be sent away")

    async def refused() -> bool:
        return not await _is_let_in(url)

    await eventually(refused, expecting="to be let in no more")


async def test_a_file_of_agents_that_the_server_does_not_take_is_told(undisturbed: UpProcess) -> None:
    await undisturbed.ready()
    agents = undisturbed.data_dir / "nats" / "agents.conf"
    before = agents.read_text()
    agents.write_text("users: [\n  { user: \n")
    await eventually(lambda: "agents.conf is not taken" in undisturbed.text(), expecting="to be told")
    agents.write_text(before)


async def _is_let_in(url: str) -> bool:
    try:
        async with coatcheck.connect(url) as client:
            await client.list("s1")
    except coatcheck.RequestError as error:
        if "wrong user or password" not in error.message:
            raise
        return False
    return True


async def test_a_wrong_password_is_refused(undisturbed: UpProcess) -> None:
    host, port = (await undisturbed.ready())["nats_url"].rpartition("@")[2].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b'CONNECT {"user": "admin", "pass": "wrong", "verbose": false}\r\nPING\r\n')
    said = await asyncio.wait_for(reader.read(), 60)
    writer.close()
    await writer.wait_closed()
    assert b"Authorization Violation" in said


async def test_a_second_up_on_the_same_directory_is_refused_while_the_first_lives(undisturbed: UpProcess) -> None:
    before = undisturbed.ready_now()
    async with up(undisturbed.data_dir, "--workers", "1") as second:
        assert await second.end(STOP_SECONDS) == 1
        assert f"another `coatcheck up` (pid {undisturbed.process.pid}) runs on" in second.text()
    assert undisturbed.ready_now() == before


async def test_a_killed_worker_is_replaced_and_the_ready_file_written_again(tmp_path: Path) -> None:
    async with up(tmp_path / "data") as running:
        killed, survivor = (await running.ready())["worker_pids"]
        os.kill(killed, signal.SIGKILL)

        def pids() -> list[int]:
            found = (running.ready_now() or {}).get("worker_pids", [])
            assert killed not in found
            return list(found)

        replaced = await eventually(pids, expecting="the new ready file")
        assert len(replaced) == 2
        assert survivor in replaced
        assert set(replaced) < running.family()


async def test_after_a_kill_of_up_nothing_stays_and_the_next_one_finds_everything(tmp_path: Path) -> None:
    async with up(tmp_path / "data") as first:
        ready = await first.ready()
        await _publish(ready, "coat.dlq.s.t.c")
        family = first.family()
        first.signal(signal.SIGKILL)
        await first.end(STOP_SECONDS)
    async with up(tmp_path / "data") as second:
        again = await second.ready()
        assert all_gone(family)
        assert await _messages(again, "COAT_DLQ") == 1
        assert (again["s3_secret_key"], again["s3_bucket"]) == (ready["s3_secret_key"], ready["s3_bucket"])


async def test_a_server_that_dies_ends_up_with_its_name_and_code_1(tmp_path: Path) -> None:
    async with up(tmp_path / "data", "--workers", "1") as running:
        await running.ready()
        family = running.family()
        (server,) = [pid for pid, line in running.command_lines().items() if "nats-server" in line]
        os.kill(server, signal.SIGKILL)

        assert await running.end(STOP_SECONDS) == 1
        assert "nats-server was killed by SIGKILL" in running.text()
        assert all_gone(family)
        assert running.ready_now() is None


async def test_a_signal_before_it_is_ready_stops_it_as_cleanly(tmp_path: Path) -> None:
    async with up(tmp_path / "data") as running:
        await eventually(running.family, expecting="the first child")
        family = running.family()
        running.signal(signal.SIGINT)

        assert await running.end(STOP_SECONDS) == 0
        assert all_gone(family)
        assert running.ready_now() is None


async def test_configuration_chooses_ports_and_reaches_the_workers(tmp_path: Path) -> None:
    port = reserved_port()
    (tmp_path / "c.yaml").write_text(f"result: {{threshold: 77}}\nhttp: {{port: {reserved_port()}}}")
    inboxes = ("--set", "requests.inbox_prefixes=[_INBOX., reply.here.]")
    options = (
        *inboxes,
        "--workers",
        "1",
        "--config",
        tmp_path / "c.yaml",
        "--set",
        f"nats.url=nats://127.0.0.1:{port}",
    )
    async with up(tmp_path / "data", *options, COATCHECK_STUB__LANGUAGE="zh") as running:
        ready = await running.ready()
        assert ready["nats_url"].endswith(f"@127.0.0.1:{port}")
        (health,) = ready["worker_http"]
        assert (await get(health, "/readyz")).status == 200
        worker = yaml.safe_load((running.data_dir / "worker.yaml").read_text())
        assert (worker["result"]["threshold"], worker["stub"]["language"]) == (77, "zh")
        assert b"COATCHECK_" not in running.environment(ready["worker_pids"][0])
        assert "tool_results" in await _listed(ready, inbox="reply.here")


async def test_a_server_elsewhere_is_refused_before_anything_starts(tmp_path: Path) -> None:
    async with up(tmp_path / "data", "--set", "nats.url=nats://nats.example:4222") as running:
        assert await running.end(STOP_SECONDS) == 2
        assert "coatcheck worker" in running.text()
        assert not running.data_dir.exists()


async def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        url = f"nats://127.0.0.1:{taken.getsockname()[1]}"
        async with up(tmp_path / "data", "--set", f"nats.url={url}") as running:
            assert await running.end(STOP_SECONDS) == 1
            assert "address already in use" in running.text()
            assert running.family() == set()
