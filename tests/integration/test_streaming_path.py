"""Results in pieces from the client and the command to a real worker and back."""

import asyncio
import base64
import secrets
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.support.commands import Command, configured, python
from tests.support.wait import eventually
from tests.support.workers import worker_here

import coatcheck
from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import Code
from coatcheck_schemas.refs import sha256_hex

MIB = 1024 * 1024
LINES = "".join(f"line {number} of a long log\n" for number in range(80_000))


@pytest_asyncio.fixture
async def command(deployment: Settings, tmp_path: Path) -> AsyncIterator[Command]:
    async with worker_here(deployment):
        yield Command(configured(deployment, tmp_path), tmp_path)


async def read_bytes(client: coatcheck.Client, ref: str | None) -> bytes:
    assert ref is not None
    data, offset = b"", 0
    while True:
        page = await client.read("s1", ref, offset=offset, unit="bytes", limit=-1)
        data += base64.b64decode(page.content)
        if page.next is None:
            return data
        offset = page.next.offset


async def test_a_stream_s_stub_stands_for_all_that_was_written(client: coatcheck.Client) -> None:
    async with client.stream("s1", tool_name="build", call="c") as out:
        for start in range(0, len(LINES), 70_000):
            await out.write(LINES[start : start + 70_000])
        event = await out.submit()
    assert out.published is not None
    assert (event.disposition, event.result_id) == ("offloaded", out.published.result_id)
    assert (event.original_bytes, event.original_lines) == (len(LINES), 80_000)
    assert await read_bytes(client, event.ref) == LINES.encode()


async def test_a_small_stream_is_inline(client: coatcheck.Client) -> None:
    async with client.stream("s1", tool_name="build") as out:
        await out.write("done\n")
        event = await out.submit()
    assert (event.disposition, event.content) == ("inline", "done\n")


async def test_submit_of_more_than_one_message_carries_gets_its_stub(client: coatcheck.Client) -> None:
    data = secrets.token_bytes(2 * MIB)
    event = await client.submit("s1", data, tool_name="cat", structured_content={"a": 1})
    assert (event.reason, event.sha256) == ("binary", sha256_hex(data))
    assert await read_bytes(client, event.ref) == data


async def test_blocks_of_more_than_one_message_are_one_result(client: coatcheck.Client) -> None:
    blocks = [{"type": "text", "text": "first"}, {"type": "text", "text": "x" * (2 * MIB)}]
    event = await client.submit("s1", blocks, tool_name="cat")
    assert event.original_chars == 5 + 1 + 2 * MIB
    assert event.disposition == "offloaded"


def picture(seed: int, size: int = 100) -> dict[str, str]:
    data = b"\x89PNG\r\n\x1a\n" + bytes([seed]) * size
    return {"type": "image", "mimeType": "image/png", "data": base64.b64encode(data).decode()}


@pytest.mark.parametrize("size", [100, 2 * MIB], ids=["in one message", "in pieces"])
async def test_pictures_of_one_call_in_two_turns_get_a_stub_each(client: coatcheck.Client, size: int) -> None:
    for turn, seed in (("t1", 1), ("t2", 2)):
        blocks = [picture(seed, size)]
        event = await client.submit("s1", blocks, tool_name="shot", call="shot", turn=turn, timeout=15)
        assert event.turn_id == turn
        assert event.ref is not None or size == 100
        if event.ref is not None:
            assert await client.blocks("s1", event.ref) == blocks


async def test_pictures_of_one_call_in_two_turns_are_gathered_by_each(client: coatcheck.Client) -> None:
    for name, seed in (("t1", 1), ("t2", 2)):
        async with client.turn("s1", name, size=1, timeout=15) as turn:
            await turn.publish([picture(seed)], tool_name="shot", call="shot")
            (event,) = await turn.stubs()
        assert event.turn_id == name


async def test_a_stream_that_fails_leaves_what_it_wrote_as_incomplete(client: coatcheck.Client) -> None:
    async with client.stubs("s1") as stubs:
        with pytest.raises(ValueError, match="no more"):
            await _fail(client)
        event = await asyncio.wait_for(anext(stubs), 60)
    assert (event.incomplete, event.error) == (True, "ValueError: no more")
    assert await read_bytes(client, event.ref) == LINES.encode()


async def _fail(client: coatcheck.Client) -> None:
    async with client.stream("s1", tool_name="build") as out:
        await out.write(LINES)
        raise ValueError("no more")


async def test_a_failure_that_is_named_comes_back_in_the_stub(client: coatcheck.Client) -> None:
    async with client.stream("s1", tool_name="build") as out:
        await out.write(LINES)
        out.failure, out.is_error = "killed", True
        event = await out.submit()
    assert (event.incomplete, event.error, event.is_error) == (True, "killed", True)


@pytest.mark.usefixtures("patient")
async def test_streams_of_a_turn_are_gathered_in_the_order_of_their_begin(client: coatcheck.Client) -> None:
    async with client.turn("s1", "t1", size=3) as turn:
        async with turn.stream(tool_name="build", call="long") as out:
            await out.write(LINES)
            await turn.publish("short", tool_name="cat", call="short")
            await out.write(LINES)
        await turn.publish(LINES.encode() * 2, tool_name="cat", call="published")
        stubs = await turn.stubs()
    assert [event.call_id for event in stubs] == ["long", "short", "published"]
    assert [event.disposition for event in stubs] == ["offloaded", "inline", "offloaded"]
    assert turn.settled is not None
    assert turn.settled.received == 3


async def test_a_stream_of_a_turn_that_fails_before_anything_was_sent_is_none_of_its_results(
    client: coatcheck.Client,
) -> None:
    async with client.turn("s1", "t1") as turn:
        with pytest.raises(ValueError, match="nothing"):
            async with turn.stream(tool_name="build"):
                raise ValueError("nothing")
        await turn.publish("x", tool_name="cat", call="c")
        assert [event.call_id for event in await turn.stubs()] == ["c"]


async def test_exec_of_50_mb_prints_its_stub_and_read_has_all_of_it(command: Command) -> None:
    script = (
        "import sys; line = 'a line of fifty bytes that stands here for output\\n'; sys.stdout.write(line * 1_000_000)"
    )
    done = await command.run("exec", "--json", *python(script))
    event = done.event
    line = b"a line of fifty bytes that stands here for output\n"
    assert (done.code, done.err) == (0, "")
    assert (event.original_bytes, event.original_lines) == (50_000_000, 1_000_000)
    assert event.sha256 == sha256_hex(line * 1_000_000)
    assert event.ref is not None
    read = await command.here("read", event.ref, "--limit", "-1")
    assert sha256_hex(read.out) == event.sha256


async def test_exec_of_a_large_failing_command_is_an_error_that_ends_in_its_code(command: Command) -> None:
    done = await command.run("exec", "--json", *python("print('x' * 2000000); raise SystemExit(5)"))
    event = done.event
    assert (done.code, event.is_error, event.incomplete) == (5, True, False)
    assert event.ref is not None
    assert (await command.here("read", event.ref, "--offset", "-14")).text == "\nexit code: 5\n"


async def test_publish_of_a_large_pipe_prints_its_stub(command: Command) -> None:
    done = await command.run("publish", "-", stdin=LINES.encode())
    assert done.code == 0
    assert done.text.startswith("[Coatcheck: tool result offloaded]\n")


async def test_an_uploaded_file_has_its_stub_and_a_link_gives_it_back(client: coatcheck.Client, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text(LINES)
    event = await client.upload("s1", path, tool_name="export", mime_type="text/plain")
    assert (event.disposition, event.sha256) == ("offloaded", sha256_hex(LINES.encode()))
    assert event.ref is not None
    link = await eventually(lambda: _link(client, str(event.ref)), expecting="the link")
    assert await asyncio.to_thread(_get, str(link)) == LINES.encode()


async def _link(client: coatcheck.Client, ref: str) -> str | None:
    """None while it is being made."""
    try:
        return (await client.link("s1", ref)).url
    except coatcheck.RequestError as error:
        if error.code is not Code.UNAVAILABLE:
            raise
        return None


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=20) as answer:
        data: bytes = answer.read()
    return data


async def test_publish_with_upload_prints_the_stub_and_link_prints_a_url(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "data.bin"
    path.write_bytes(bytes(range(256)) * 10_000)
    done = await command.run("publish", "--upload", "--json", str(path))
    assert (done.code, done.event.reason, done.event.original_bytes) == (0, "binary", 2_560_000)
    linked = await command.here("link", str(done.event.ref))
    assert (linked.code, linked.err.startswith("it expires at ")) == (0, True)
    assert await asyncio.to_thread(_get, linked.text.strip()) == path.read_bytes()


async def test_publish_with_upload_of_a_pipe_is_wrong_usage(command: Command) -> None:
    done = await command.here("publish", "--upload", "-", stdin=b"x")
    assert (done.code, done.out) == (2, b"")
    assert "--upload takes a file" in done.err
