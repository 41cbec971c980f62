"""The client against a real worker: a result in, its stub out, the original back."""

import asyncio
import base64
import os
import sys

import pytest
from tests.support.workers import worker_here

import coatcheck
from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import Code
from coatcheck_schemas.segments import encode_segment

LONG = "a line of some length\n" * 2000
HOSTILE = ["", ".", "a.b", "*", ">", "thread:42/a b", "搜索 é", "x" * 1400, "=2E"]


async def test_a_long_result_comes_back_as_a_stub_and_reads_back_whole(client: coatcheck.Client) -> None:
    event = await client.submit("s1", LONG, tool_name="cat", turn="t1", call="c1")
    assert (event.disposition, event.session_id, event.turn_id, event.call_id) == ("offloaded", "s1", "t1", "c1")
    assert event.ref is not None
    assert event.ref in str(event.content)
    page = await client.read("s1", event.ref, limit=-1)
    assert page.content == LONG


async def test_a_short_result_comes_back_as_it_is(client: coatcheck.Client) -> None:
    event = await client.submit("s1", "short", tool_name="cat")
    assert (event.disposition, event.content, event.ref) == ("inline", "short", None)


async def test_bytes_that_are_no_text_read_back_exactly(client: coatcheck.Client) -> None:
    data = bytes(range(256)) * 10
    event = await client.submit("s1", data, tool_name="cat")
    assert event.ref is not None
    page = await client.read("s1", event.ref, unit="bytes", limit=-1)
    assert base64.b64decode(page.content) == data


@pytest.mark.parametrize("identifier", HOSTILE, ids=lambda value: encode_segment(value)[:20])
async def test_ids_of_any_shape_come_back_whole(client: coatcheck.Client, identifier: str) -> None:
    event = await client.submit(identifier, LONG, tool_name="cat", turn=identifier, call=identifier)
    assert (event.session_id, event.turn_id, event.call_id) == (identifier, identifier, identifier)
    assert event.ref is not None
    assert (await client.read(identifier, event.ref, limit=5)).content == LONG[:5]


async def test_content_blocks_and_arguments_travel_as_json(client: coatcheck.Client) -> None:
    blocks = [{"type": "text", "text": LONG}, {"type": "text", "text": "the end"}]
    event = await client.submit("s1", blocks, tool_name="cat", arguments={"path": "/etc", "deep": [1, 2.5, None]})
    assert event.ref is not None
    assert (await client.read("s1", event.ref, limit=-1)).content == f"{LONG}\nthe end"


async def test_a_lone_surrogate_is_replaced_and_the_result_goes_through(client: coatcheck.Client) -> None:
    event = await client.submit("s1", "before \ud800 after", tool_name="c\ud800t")
    assert event.content == "before \ufffd after"


async def test_the_same_result_again_gets_the_stub_that_it_has(client: coatcheck.Client) -> None:
    first = await client.submit("s1", LONG, tool_name="cat", turn="t", call="c")
    again = await client.submit("s1", LONG, tool_name="cat", turn="t", call="c", timeout=20)
    assert again == first


async def test_the_result_id_is_known_before_the_stub(client: coatcheck.Client) -> None:
    published = await client.publish("s1", LONG, tool_name="cat", call="a.b")
    assert published.result_id.startswith("a=2Eb-")
    assert not published.duplicate
    async with client.stubs("s1", from_start=True) as stubs:
        event = await asyncio.wait_for(anext(stubs), 60)
    assert event.result_id == published.result_id


async def test_search_and_list_find_the_original(client: coatcheck.Client) -> None:
    event = await client.submit("s1", f"{LONG}the needle\n", tool_name="cat", turn="t1")
    found = await client.search("s1", "needle")
    assert [(match.ref, match.offset) for match in found.matches] == [(event.ref, len(LONG) + 4)]
    listed = await client.list("s1", tool_name="cat", turn="t1")
    assert [metadata.ref for metadata in listed.tool_results] == [event.ref]
    assert (await client.list("s1", tool_name="other")).tool_results == []


async def test_an_error_reply_is_raised_with_its_code(client: coatcheck.Client) -> None:
    with pytest.raises(coatcheck.RequestError) as caught:
        await client.read("s1", f"coat://s1/c-{'0' * 32}")
    assert caught.value.code is Code.NOT_FOUND
    with pytest.raises(coatcheck.RequestError) as caught:
        await client.search("s1", "")
    assert caught.value.code is Code.INVALID_ARGUMENT


async def test_stubs_go_on_after_a_cursor(client: coatcheck.Client) -> None:
    first = await client.submit("s1", "one", tool_name="cat")
    cursor = (await client.replay("s1", limit=0)).cursor
    second = await client.submit("s1", "two", tool_name="cat")
    async with client.stubs("s1", after=cursor) as stubs:
        assert await asyncio.wait_for(anext(stubs), 60) == second
    async with client.stubs("s1", from_start=True) as stubs:
        assert [await asyncio.wait_for(anext(stubs), 60) for _ in range(2)] == [first, second]


async def test_stubs_of_one_turn_leave_the_others_out(client: coatcheck.Client) -> None:
    async with client.stubs("s1", turn="t2") as stubs:
        await client.submit("s1", "one", tool_name="cat", turn="t1")
        second = await client.submit("s1", "two", tool_name="cat", turn="t2")
        assert await asyncio.wait_for(anext(stubs), 60) == second


async def test_iteration_ends_with_its_client(deployment: Settings) -> None:
    async with worker_here(deployment):
        async with coatcheck.connect(deployment.nats.url, prefix=deployment.nats.prefix) as client:
            stubs = client.stubs("s1")
            await stubs.start()
            waiting = asyncio.ensure_future(anext(stubs, None))
            await asyncio.sleep(0)
        assert await asyncio.wait_for(waiting, 60) is None


async def test_the_example_of_the_package_runs(deployment: Settings) -> None:
    example = "\n".join(line[4:] for line in str(coatcheck.__doc__).splitlines() if line.startswith("    ") or not line)
    nats = {"COATCHECK_NATS__URL": deployment.nats.url, "COATCHECK_NATS__PREFIX": deployment.nats.prefix}
    async with worker_here(deployment):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", example),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=os.environ | nats,
        )
        output, _ = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, output.decode()
    assert output.decode().startswith("[Coatcheck: tool result offloaded]\ntool_name: build\n")
    assert output.decode().rstrip().endswith("step 4999 done")
