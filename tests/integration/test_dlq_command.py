"""`coatcheck dlq` on real servers: what an operator sees of dead letters, and what becomes of them."""

import asyncio
import json
import os
import pty
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio
import yaml
from click.testing import CliRunner, Result
from nats.aio.client import Client
from nats.aio.msg import Msg
from tests.support.dead_letters import lay_letter
from tests.support.servers import connected

from coatcheck.cli import main
from coatcheck_core.settings import Settings
from coatcheck_schemas.events import MESSAGE_RESERVE_BYTES
from coatcheck_schemas.subjects import CallAddress, Subjects
from coatcheck_workers.storage import open_store

HOSTILE = "a\x1b[2Jb\u202e"
C1, C2 = CallAddress("s1", "t1", "c1"), CallAddress("s2", "=", "c2")


class Desk:
    """An operator's shell beside an administrator's connection."""

    def __init__(self, client: Client, settings: Settings, config: Path) -> None:
        self.client = client
        self.settings = settings
        self.subjects = Subjects(settings.nats.prefix)
        self.config = config

    async def run(self, verb: str, *argv: str) -> Result:
        arguments = ["dlq", verb, "--config", str(self.config), *argv]
        return await asyncio.to_thread(CliRunner().invoke, main, arguments, prog_name="coatcheck")

    async def lay(self, at: CallAddress = C1, **facts: Any) -> str:
        return str(await lay_letter(self.client, self.settings, at, **facts))

    async def listed(self, *argv: str) -> list[str]:
        done = await self.run("list", "--json", *argv)
        return [str(one["sequence"]) for one in json.loads(done.stdout)["letters"]]

    async def taken(self, stream: str, count: int = 1) -> list[Msg]:
        """What lies in a stream; fails where it is not so many."""
        jetstream = self.client.jetstream()
        assert (await jetstream.stream_info(self.subjects.stream(stream))).state.messages == count
        pull = await jetstream.pull_subscribe_bind(durable="workers", stream=self.subjects.stream(stream))
        return await pull.fetch(count, timeout=30) if count else []


@pytest_asyncio.fixture
async def desk(deployment: Settings, tmp_path: Path) -> AsyncIterator[Desk]:
    config = tmp_path / "coatcheck.yaml"
    config.write_text(yaml.safe_dump(msgspec.to_builtins(deployment)))
    async with connected(deployment) as client:
        yield Desk(client, deployment, config)


async def test_list_shows_where_a_letter_is_from_and_why_it_is_one(desk: Desk) -> None:
    sequence = await desk.lay(error="not\nJSON")
    done = await desk.run("list")
    assert (done.exit_code, done.stderr) == (0, "")
    title, row = done.stdout.splitlines()
    assert title.split() == ["seq", "time", "session", "turn", "call", "reason", "tries", "bytes", "error"]
    assert row.split()[0] == sequence
    assert row.split()[2:] == ["s1", "t1", "c1", "invalid_json", "2", "3", "not\\nJSON"]


async def test_list_filters_and_pages(desk: Desk) -> None:
    first = await desk.lay(C1)
    second = await desk.lay(C2, reason="conflict")
    third = await desk.lay(C1, reason="conflict")
    assert await desk.listed() == [first, second, third]
    assert await desk.listed("--session", "s1") == [first, third]
    assert await desk.listed("--reason", "conflict", "--session", "s1") == [third]
    assert await desk.listed("--after", first, "--limit", "1") == [second]
    assert (await desk.run("list", "--limit", "2")).stderr == f"there is more: go on with --after {second}\n"
    assert (await desk.run("list", "--reason", "internal")).stderr == "no dead letters match\n"


async def test_list_reads_on_beyond_one_page_and_no_bodies(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coatcheck_workers.streams.letters.PAGE", 2)
    sequences = [await desk.lay(body=b"x" * (1000 + number)) for number in range(5)]
    assert await desk.listed() == sequences
    done = await desk.run("list", "--json")
    assert [one["bytes"] for one in json.loads(done.stdout)["letters"]] == [1000, 1001, 1002, 1003, 1004]


async def test_letters_with_their_body_need_no_object_storage(desk: Desk) -> None:
    desk.config.write_text(yaml.safe_dump({"nats": msgspec.to_builtins(desk.settings.nats)}))
    first, second = await desk.lay(C1, body=b"one"), await desk.lay(C2, body=b"two")
    assert await desk.listed() == [first, second]
    assert (await desk.run("show", first, "--raw")).stdout == "one"
    assert (await desk.run("retry", first)).exit_code == 0
    assert (await desk.run("drop", second, "--yes")).exit_code == 0
    assert await desk.listed() == []


async def test_letter_whose_body_lies_in_object_storage_says_that_it_needs_one(desk: Desk) -> None:
    desk.config.write_text(yaml.safe_dump({"nats": msgspec.to_builtins(desk.settings.nats)}))
    sequence = await desk.lay(C1, body=b"", body_uri="s3://bucket/v1/sessions/s1/dead-letters/COAT_RESULTS-7")
    assert await desk.listed() == [sequence]
    refused = await desk.run("drop", sequence, "--yes")
    assert (refused.exit_code, "storage.endpoint" in refused.stderr) == (1, True)
    assert await desk.listed() == [sequence]


async def test_list_says_that_there_are_none(desk: Desk) -> None:
    done = await desk.run("list")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "no dead letters\n")


async def test_list_leaves_no_consumer_behind(desk: Desk) -> None:
    for _ in range(3):
        await desk.lay()
    await desk.run("list", "--limit", "1")
    info = await desk.client.jetstream().stream_info(desk.subjects.stream("dlq"))
    assert info.state.consumer_count == 0


async def test_show_prints_headers_and_body_and_raw_the_body_alone(desk: Desk) -> None:
    sequence = await desk.lay(body=b"\xff\x00bad", headers={"Nats-Msg-Id": "7", "X-Trace": "ü"})
    head, _, body = (await desk.run("show", sequence)).stdout_bytes.partition(b"\n\n")
    assert b"Coat-Original-Nats-Msg-Id: 7\nX-Trace: \xc3\xbc\n" in head
    assert body == b"\xff\x00bad"
    assert (await desk.run("show", sequence, "--raw")).stdout_bytes == b"\xff\x00bad"
    shown = json.loads((await desk.run("show", sequence, "--json")).stdout)
    assert (shown["encoding"], shown["body"], shown["headers"]["Coat-Attempts"]) == ("base64", "/wBiYWQ=", "2")


async def test_a_letter_that_is_not_there_is_told(desk: Desk) -> None:
    done = await desk.run("show", "4711")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("error: there is no dead letter 4711: ")


async def test_no_letter_moves_a_terminal_s_cursor(desk: Desk) -> None:
    sequence = await desk.lay(C1, body=HOSTILE.encode(), headers={"X-Trace": HOSTILE}, error=HOSTILE)
    for argv in (("list",), ("show", sequence)):
        shown = await on_terminal(desk, *argv)
        assert b"a\\u001b[2Jb\\u202e" in shown
        assert b"\x1b[2J" not in shown
        assert "\u202e".encode() not in shown


async def on_terminal(desk: Desk, *argv: str, typed: bytes = b"") -> bytes:
    """What a terminal gets of `coatcheck dlq`, with what was typed at it."""
    master, slave = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COATCHECK_")}
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "coatcheck", "dlq", argv[0], "--config", str(desk.config), *argv[1:]),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment | {"TERM": "xterm"},
        )
        os.write(master, typed)
        await asyncio.wait_for(process.wait(), 40)
        os.set_blocking(master, False)
        return os.read(master, 65536)
    finally:
        os.close(slave)
        os.close(master)


async def test_retry_publishes_the_message_again_as_it_was_and_takes_the_letter_away(desk: Desk) -> None:
    headers = {"ce-specversion": "1.0", "Nats-Msg-Id": "7", "Nats-Expected-Stream": "OTHER", "Coat-Seq": "0"}
    sequence = await desk.lay(C1, body=b"\x00bad", headers=headers)
    done = await desk.run("retry", sequence)
    assert (done.exit_code, done.stdout) == (0, f"retried {sequence} ({desk.subjects.results(C1)})\n")
    (message,) = await desk.taken("results")
    assert (message.subject, message.data) == (desk.subjects.results(C1), b"\x00bad")
    sent = dict(message.headers or {})
    assert sent.pop("Nats-Msg-Id") not in ("7", "")
    assert sent == {"ce-specversion": "1.0", "Coat-Seq": "0"}
    assert await desk.listed() == []


async def test_a_letter_as_large_as_a_message_may_be_is_shown_and_retried_whole(desk: Desk) -> None:
    body = os.urandom(desk.client.max_payload - MESSAGE_RESERVE_BYTES)
    sequence = await desk.lay(C1, body=body)
    assert (await desk.run("show", sequence, "--raw")).stdout_bytes == body
    assert (await desk.run("retry", sequence)).exit_code == 0
    (message,) = await desk.taken("results")
    assert message.data == body


async def test_the_end_of_a_turn_is_retried_too(desk: Desk) -> None:
    subject = desk.subjects.turn_end(C1.at_turn)
    sequence = await desk.lay(CallAddress("s1", "t1", "="), subject=subject)
    assert (await desk.run("retry", sequence)).exit_code == 0
    (message,) = await desk.taken("results")
    assert message.subject == subject


async def test_retry_fetches_a_body_from_object_storage_and_removes_it_there(desk: Desk) -> None:
    store = open_store(desk.settings.storage)
    key = f"{desk.settings.storage.prefix}/v1/sessions/s1/dead-letters/COAT_RESULTS-7"
    await store.put(key, b"large")
    sequence = await desk.lay(C1, body=b"", body_uri=store.uri(key))
    assert (await desk.run("show", sequence, "--raw")).stdout == "large"
    assert (await desk.run("list")).stdout.split()[-6] == "stored"
    assert (await desk.run("retry", sequence)).exit_code == 0
    (message,) = await desk.taken("results")
    assert message.data == b"large"
    assert [one async for one in store.list(f"{desk.settings.storage.prefix}/v1/sessions/s1/dead-letters/")] == []


async def test_a_letter_of_a_subject_that_names_nothing_is_shown_and_dropped_and_not_retried(desk: Desk) -> None:
    sequence = await desk.lay(subject=f"{desk.subjects.prefix}.results.*.t.c", reason="invalid_subject")
    assert b"Coat-Reason: invalid_subject" in (await desk.run("show", sequence)).stdout_bytes
    retried = await desk.run("retry", sequence)
    assert (retried.exit_code, retried.stdout) == (1, "")
    assert "names no call" in retried.stderr
    assert await desk.listed() == [sequence]
    assert (await desk.run("drop", sequence, "--yes")).exit_code == 0
    assert await desk.listed() == []


async def test_a_letter_never_aims_a_retry_at_a_subject_of_others(desk: Desk) -> None:
    prefix = desk.subjects.prefix
    for subject in (f"{prefix}.stubs.s1.t1.c1-failed", f"{prefix}.read.s1", "$JS.API.STREAM.DELETE.X", ""):
        sequence = await desk.lay(C1, subject=subject)
        assert (await desk.run("retry", sequence)).exit_code == 1
    await desk.taken("results", 0)


@pytest.mark.parametrize("uri", ["s3://other/v1/sessions/s1/dead-letters/x", "s3://{bucket}/{prefix}/v1/sessions/s1/x"])
async def test_a_letter_never_deletes_what_is_no_letter_s_body(desk: Desk, uri: str) -> None:
    storage = desk.settings.storage
    store = open_store(storage)
    await store.put(f"{storage.prefix}/v1/sessions/s1/x", b"an original")
    sequence = await desk.lay(C1, body=b"", body_uri=uri.format(bucket=storage.bucket, prefix=storage.prefix))
    refused = await desk.run("retry", sequence)
    assert (refused.exit_code, "not in object storage" in refused.stderr) == (1, True)
    assert (await desk.run("drop", sequence, "--yes")).exit_code == 0
    assert await store.get(f"{storage.prefix}/v1/sessions/s1/x") == b"an original"
    await desk.taken("results", 0)


async def test_what_could_only_not_be_stored_is_handed_to_a_worker_and_stays_a_letter(desk: Desk) -> None:
    sequence = await desk.lay(C1, reason="store_failure")
    assert (await desk.run("retry", sequence)).exit_code == 0
    (message,) = await desk.taken("held")
    assert message.subject == desk.subjects.due(C1.at_turn, "letter", sequence)
    assert (message.subject.rpartition(".")[2], message.data) == (sequence, b"")
    assert await desk.listed() == [sequence]
    await desk.taken("results", 0)


async def test_retry_of_all_with_a_reason_goes_on_past_one_that_cannot_be(desk: Desk) -> None:
    kept = await desk.lay(C2, reason="conflict")
    nowhere = await desk.lay(subject="nothing")
    first, second = await desk.lay(C1), await desk.lay(C2)
    done = await desk.run("retry", "--all", "--reason", "invalid_json", "--json")
    assert done.exit_code == 1
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(str(one["sequence"]), one["outcome"]) for one in outcomes] == [
        (nowhere, "failed"),
        (first, "retried"),
        (second, "retried"),
    ]
    assert await desk.listed() == [kept, nowhere]
    assert len(await desk.taken("results", 2)) == 2


async def test_a_retry_that_is_repeated_after_a_cut_puts_the_message_there_once(desk: Desk) -> None:
    sequence = await desk.lay(C1)
    jetstream = desk.client.jetstream()
    deny = (await jetstream.stream_info(desk.subjects.stream("dlq"))).config
    await jetstream.delete_stream(deny.name or "")
    await jetstream.add_stream(deny.evolve(deny_delete=True))
    sequence = await desk.lay(C1)
    for _ in range(2):
        assert (await desk.run("retry", sequence)).exit_code == 1
    await desk.taken("results", 1)


async def test_drop_asks_and_deletes_nothing_without_a_yes(desk: Desk) -> None:
    sequence = await desk.lay()
    refused = await desk.run("drop", sequence)
    assert (refused.exit_code, "say --yes" in refused.stderr) == (2, True)
    assert b"drop 1 dead letter for good?" in await on_terminal(desk, "drop", sequence, typed=b"n\n")
    assert await desk.listed() == [sequence]
    await on_terminal(desk, "drop", sequence, typed=b"y\n")
    assert await desk.listed() == []


async def test_drop_takes_the_body_s_object_with_it(desk: Desk) -> None:
    store = open_store(desk.settings.storage)
    folder = f"{desk.settings.storage.prefix}/v1/sessions/s1/dead-letters/"
    await store.put(f"{folder}COAT_RESULTS-7", b"large")
    await desk.lay(C1, body=b"", body_uri=store.uri(f"{folder}COAT_RESULTS-7"))
    other = await desk.lay(C2)
    assert (await desk.run("drop", "--all", "--session", "s1", "--yes")).exit_code == 0
    assert [one async for one in store.list(folder)] == []
    assert await desk.listed() == [other]
