"""What a worker makes of a letter that an operator lets it try again."""

import asyncio
from pathlib import Path

import msgspec
import yaml
from click.testing import CliRunner
from tests.support.agents import agent, dead_letters, waiting_results
from tests.support.dead_letters import RECEIVED_AT, lay_letter
from tests.support.servers import connected
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck.cli import main
from coatcheck_core.settings import Settings
from coatcheck_schemas.refs import result_id, sha256_hex
from coatcheck_schemas.subjects import CallAddress, Subjects
from coatcheck_schemas.times import format_time

AT = CallAddress("s1", "t1", "c1")
LONG = "a line of some length\n" * 2000
BODY = msgspec.json.encode({"tool_name": "cat", "content": LONG})


async def retry(settings: Settings, folder: Path, *sequences: int | str) -> None:
    config = folder / "coatcheck.yaml"
    config.write_text(yaml.safe_dump(msgspec.to_builtins(settings)))
    words = ["dlq", "retry", *map(str, sequences), "--config", str(config)]
    done = await asyncio.to_thread(CliRunner().invoke, main, words, prog_name="coatcheck")
    assert (done.exit_code, done.stderr) == (0, "")


async def no_letters(settings: Settings) -> bool:
    async with connected(settings) as client:
        stream = Subjects(settings.nats.prefix).stream("dlq")
        return (await client.jetstream().stream_info(stream)).state.messages == 0


async def test_a_letter_whose_cause_is_mended_leads_to_the_result_s_stub(deployment: Settings, tmp_path: Path) -> None:
    async with connected(deployment) as client, worker_here(deployment), agent(deployment) as it:
        sequence = await lay_letter(client, deployment, AT, body=BODY, reason="internal", headers={"Nats-Msg-Id": "7"})
        await retry(deployment, tmp_path, sequence)
        event = await it.stub("c1", "t1")
        assert (event.disposition, await it.read_all(str(event.ref))) == ("offloaded", LONG)
        assert await no_letters(deployment)


async def test_a_letter_that_fails_again_is_a_letter_again(deployment: Settings, tmp_path: Path) -> None:
    async with connected(deployment) as client, worker_here(deployment):
        sequence = await lay_letter(client, deployment, AT, body=b"no JSON")
        await retry(deployment, tmp_path, sequence)
        (letter,) = await eventually(lambda: dead_letters(deployment), expecting="a new letter")
        assert letter.sequence > sequence
        assert (letter.headers["Coat-Reason"], letter.data) == ("invalid_json", b"no JSON")


async def test_all_letters_are_tried_once_though_they_become_letters_again(
    deployment: Settings, tmp_path: Path
) -> None:
    async with connected(deployment) as client, worker_here(deployment):
        laid = [await lay_letter(client, deployment, AT, body=b"no JSON" * count) for count in range(1, 6)]
        await retry(deployment, tmp_path, "--all")

        async def are_letters_again() -> bool:
            state = (await client.jetstream().stream_info(Subjects(deployment.nats.prefix).stream("dlq"))).state
            return (state.messages, state.last_seq) == (5, laid[-1] + 5)

        await eventually(are_letters_again, expecting="five letters, each tried once")

        async def none_waits() -> bool:
            return await waiting_results(deployment) == 0

        await eventually(none_waits, expecting="an empty queue")


async def test_an_original_that_was_yet_to_be_stored_is_stored_its_letter_gone_and_nothing_heard(
    deployment: Settings, tmp_path: Path
) -> None:
    async with connected(deployment) as client, worker_here(deployment), agent(deployment) as it:
        sequence = await lay_letter(client, deployment, AT, body=BODY, reason="store_failure")
        await retry(deployment, tmp_path, sequence)
        await eventually(lambda: no_letters(deployment), expecting="a letter that is gone")
        ref = f"coat://s1/{result_id('c1', sha256_hex(LONG.encode()))}"
        assert await it.read_all(ref) == LONG
        (listed,) = (await it.request("list"))["ok"]["tool_results"]
        assert (listed["ref"], listed["created_at"]) == (ref, format_time(RECEIVED_AT))
        assert (it.events, await waiting_results(deployment)) == ([], 0)


async def test_a_store_failure_that_cannot_be_read_stays_a_letter(deployment: Settings, tmp_path: Path) -> None:
    async with connected(deployment) as client, worker_here(deployment):
        sequence = await lay_letter(client, deployment, AT, body=b"no JSON", reason="store_failure")
        await retry(deployment, tmp_path, sequence)

        async def is_taken() -> bool:
            info = await client.jetstream().stream_info(Subjects(deployment.nats.prefix).stream("held"))
            return info.state.messages == 0 and info.state.last_seq > 0

        await eventually(is_taken, expecting="a worker that has looked at it")
        (letter,) = await dead_letters(deployment)
        assert letter.sequence == sequence
