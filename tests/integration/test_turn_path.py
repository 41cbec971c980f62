"""A turn from the client, or the command line, through a real worker and back."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio
import yaml
from click.testing import CliRunner, Result
from tests.support.agents import waiting_results
from tests.support.servers import connected, deployed
from tests.support.wait import eventually
from tests.support.workers import worker_here

import coatcheck
from coatcheck.cli import main
from coatcheck_core.settings import Settings
from coatcheck_schemas.events import StubEvent, TurnSettled
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.embedded import NatsServer, S3Server

pytestmark = pytest.mark.usefixtures("patient")

BUDGET = 20_000
SIZES = {"c2": 9_000, "c1": 12_000, "c3": 300}


@pytest_asyncio.fixture
async def settings(nats_server: NatsServer, s3_server: S3Server) -> AsyncIterator[Settings]:
    async with deployed(nats_server, s3_server, turn={"inline_budget": BUDGET}) as one, worker_here(one):
        yield one


@pytest_asyncio.fixture
async def client(settings: Settings) -> AsyncIterator[coatcheck.Client]:
    async with coatcheck.connect(settings.nats.url, prefix=settings.nats.prefix) as one:
        yield one


async def publish(turn: coatcheck.Turn) -> None:
    for call, size in SIZES.items():
        await turn.publish("x" * size, tool_name="cat", call=call)


def outcomes(events: list[StubEvent]) -> list[tuple[str, str]]:
    return [(event.call_id, event.disposition) for event in events]


def adds_up(manifest: TurnSettled | None, events: list[StubEvent]) -> bool:
    """Whether it says of each stub what it is and how much it takes."""
    assert manifest is not None
    told = [(one.call_id, one.disposition, one.inline_size) for one in manifest.results]
    assert sorted(told) == sorted((one.call_id, one.disposition, len(one.content)) for one in events)
    return sum(size for *_, size in told) == manifest.inline_total < manifest.budget == BUDGET


async def test_a_turn_of_a_known_size_is_settled_together(client: coatcheck.Client, settings: Settings) -> None:
    async with client.turn("s1", "t1", size=3) as turn:
        await publish(turn)
        events = await turn.stubs()
        assert outcomes(events) == [("c2", "inline"), ("c1", "offloaded"), ("c3", "inline")]
    assert turn.settled is not None
    assert adds_up(turn.settled, events)
    assert (turn.settled.settled_by, turn.settled.turn_size, turn.settled.received) == ("size", 3, 3)
    await eventually(lambda: is_empty(settings), expecting="an empty queue")


async def is_empty(settings: Settings) -> bool:
    return await waiting_results(settings) == 0


async def test_a_turn_that_comes_to_less_than_was_said_is_settled_without_its_deadline(
    client: coatcheck.Client,
) -> None:
    async with client.turn("s1", "t1", size=7) as turn:
        await publish(turn)
        events = await turn.stubs()
    assert turn.settled is not None
    assert adds_up(turn.settled, events)
    assert (turn.settled.turn_size, turn.settled.received) == (3, 3)


async def test_a_turn_of_no_known_size_has_its_stubs_at_once_and_its_manifest_at_its_end(
    client: coatcheck.Client,
) -> None:
    async with client.turn("s1", "t1") as turn:
        await publish(turn)
        events = await turn.stubs()
        before = turn.settled
    assert before is None
    assert turn.settled is not None
    assert adds_up(turn.settled, events)
    assert (turn.settled.settled_by, turn.settled.received) == ("end", 3)


async def test_a_turn_that_is_published_again_gives_the_same_stubs_and_manifest(client: coatcheck.Client) -> None:
    async with client.turn("s1", "t1", size=3) as before:
        await publish(before)
        first = await before.stubs()
    async with client.turn("s1", "t1", size=3) as turn:
        await publish(turn)
        assert await turn.stubs() == first
    assert turn.settled is not None
    assert turn.settled == before.settled


async def test_replay_and_stubs_pass_over_manifests(client: coatcheck.Client) -> None:
    for name in ("t1", "t2"):
        async with client.turn("s1", name, size=3) as turn:
            await publish(turn)
            await turn.stubs()
    everything = await client.replay("s1")
    assert (len(everything.events), everything.has_more) == (6, False)
    seen = []
    async with client.stubs("s1", from_start=True) as stubs:
        async for event in stubs:
            seen.append(event.turn_id)
            if len(seen) == 6:
                break
    assert seen == ["t1"] * 3 + ["t2"] * 3
    assert (await client.replay("s1", limit=1)).has_more
    present = await client.replay("s1", limit=0)
    assert (await client.replay("s1", after=present.cursor)).events == []


async def run(settings: Settings, folder: Path, *argv: str, stdin: bytes = b"") -> Result:
    config = folder / "coatcheck.yaml"
    config.write_text(yaml.safe_dump(msgspec.to_builtins(settings)))
    words = [*argv, "--config", str(config)]
    return await asyncio.to_thread(CliRunner().invoke, main, words, input=stdin, prog_name="coatcheck")


async def test_the_command_line_publishes_into_a_turn_and_ends_it(settings: Settings, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump(msgspec.to_builtins(settings)))
    options = ("--config", str(config), "--turn", "t1", "--turn-size", "3", "--json", "--call")
    processes = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "coatcheck", "publish", "-", *options, call),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        for call in ("c1", "c2")
    ]
    waiting = [asyncio.ensure_future(one.communicate(b"x" * 12_000)) for one in processes]
    await eventually(lambda: is_held(settings, 2), expecting="two results that wait")
    ended = await run(settings, tmp_path, "turn", "end", "t1")
    assert (ended.exit_code, ended.stdout.splitlines()[0].split()) == (
        0,
        ["call", "disposition", "reason", "chars", "inline"],
    )
    assert "2 results, settled by end: " in ended.stderr
    outs = [msgspec.json.decode((await one)[0], type=StubEvent) for one in waiting]
    assert sorted(event.disposition for event in outs) == ["inline", "offloaded"]


async def is_held(settings: Settings, count: int) -> bool:
    async with connected(settings) as connection:
        stream = Subjects(settings.nats.prefix).stream("held")
        info = await connection.jetstream().stream_info(stream, subjects_filter=">")
        return len([subject for subject in info.state.subjects or {} if ".turn.c" in subject]) == count


async def test_the_end_of_a_turn_as_json_is_its_manifest(settings: Settings, tmp_path: Path) -> None:
    await run(settings, tmp_path, "publish", "-", "--turn", "t1", "--call", "c1", stdin=b"x")
    manifest = json.loads((await run(settings, tmp_path, "turn", "end", "t1", "--json")).stdout)
    assert (manifest["settled_by"], manifest["received"]) == ("end", 1)
    again = await run(settings, tmp_path, "turn", "end", "t1", "--json")
    assert json.loads(again.stdout) == manifest


@pytest.mark.parametrize("options", [[], ["--json"]])
async def test_the_end_of_a_turn_that_is_not_settled_in_time_is_an_error(
    settings: Settings, tmp_path: Path, options: list[str]
) -> None:
    done = await run(settings, tmp_path, "turn", "end", "t1", "--size", "3", "--timeout", "0.3", *options)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "within 0.3 s: it is settled once 3 results are there" in done.stderr


@pytest.mark.parametrize("options", [[], ["--json"]])
async def test_a_turn_without_results_is_told_to_be_one(settings: Settings, tmp_path: Path, options: list[str]) -> None:
    done = await run(settings, tmp_path, "turn", "end", "mistyped", *options)
    assert done.exit_code == 0
    assert "no result of this turn had come" in done.stderr
