"""Results in, stubs out, on real servers: what an agent gets for each form of a result."""

import base64
from typing import Any

import msgspec
import pytest
from tests.support.agents import Agent, agent, waiting_results
from tests.support.servers import deployed
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.refs import sha256_hex
from coatcheck_schemas.results import encode_binary
from coatcheck_workers.embedded import NatsServer, S3Server

LINES = "".join(f"line {i} of a large result\n" for i in range(4000))


def text_of(event: StubEvent) -> str:
    assert isinstance(event.content, str)
    return event.content


async def test_small_result_goes_inline_with_every_field_present(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        event = await it.offload("c1", "hello", turn="t1")
        raw: dict[str, Any] = msgspec.json.decode(next(iter(it.raw.values())))
    assert (event.disposition, event.content, event.sha256) == ("inline", "hello", sha256_hex(b"hello"))
    assert set(raw) == {field.name for field in msgspec.structs.fields(StubEvent)}
    assert [raw[name] for name in ("ref", "reason", "kind", "format", "synopsis")] == [None] * 5


async def test_large_result_is_offloaded_and_reads_back_whole(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        event = await it.offload("c1", LINES, turn="t1")
        assert (event.disposition, event.reason, event.kind) == ("offloaded", "single_threshold", "text")
        assert event.ref is not None
        assert event.ref in text_of(event)
        assert await it.read_all(event.ref) == LINES
        listed = (await it.request("list"))["ok"]["tool_results"]
        found = (await it.request("search", {"query": "line 3999 ", "ref": event.ref}))["ok"]["matches"]
    assert [entry["ref"] for entry in listed] == [event.ref]
    assert [match["line"] for match in found] == [3999]


@pytest.mark.parametrize("turn", ["", "t1"])
async def test_a_result_that_comes_again_in_its_turn_is_listed_once(deployment: Settings, turn: str) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        event = await it.offload("c1", LINES, turn=turn)
        for _ in range(3):
            await it.publish("c1", LINES, turn=turn)
        await it.offload("c1", LINES, turn="t2")
        await eventually(lambda: _empty(deployment))
        listed = (await it.request("list"))["ok"]["tool_results"]
    assert [one["ref"] for one in listed] == [event.ref] * 2  # an entry for each turn


async def test_stub_says_that_by_whom_and_how_much_was_cut(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        event = await it.offload("c1", LINES, tool="kubectl")
    lines = text_of(event).splitlines()
    assert lines[:2] == ["[Coatcheck: tool result offloaded]", "tool_name: kubectl"]
    assert f"original_chars: {len(LINES)}" in lines
    assert "reason: single_threshold" in lines
    assert (event.original_bytes, event.original_lines, event.preview_chars) == (len(LINES), 4000, 2000)


@pytest.mark.parametrize(("length", "disposition"), [(19_999, "inline"), (20_000, "inline"), (20_001, "offloaded")])
async def test_threshold_is_the_longest_that_stays_inline(deployment: Settings, length: int, disposition: str) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        assert (await it.offload("c1", "x" * length)).disposition == disposition


async def test_bytes_that_are_no_text_are_kept_exactly(deployment: Settings) -> None:
    data = bytes(range(256)) * 8
    headers, body = encode_binary(data, tool_name="cat", event_id="1", source="test", callid="c1", sessionid="s1")
    async with worker_here(deployment), agent(deployment) as it:
        await it.publish_raw(it.subjects.results(it.address("c1")), body, headers)
        event = await it.stub("c1")
        assert (event.disposition, event.reason, event.kind, event.original_chars) == (
            "offloaded",
            "binary",
            "unknown",
            None,
        )
        page = (await it.request("read", {"ref": event.ref, "unit": "bytes"}))["ok"]
    assert base64.b64decode(page["content"]) == data


async def test_same_call_with_other_content_overwrites_nothing(deployment: Settings) -> None:
    first, second = "first " * 5000, "second " * 5000
    async with worker_here(deployment), agent(deployment) as it:
        for call in ("list_dir:0", ""):
            for content in (first, second):
                await it.publish(call, content)
        await _count(it, 4)
        refs = {event.ref for event in it.events}
        contents = [await it.read_all(ref or "") for ref in sorted(ref or "" for ref in refs)]
    assert len(refs) == 4
    assert sorted(contents) == sorted([first, second] * 2)


async def test_long_call_id_makes_a_short_reference(deployment: Settings) -> None:
    call = "call_1__thought__" + "A" * 1400
    async with worker_here(deployment), agent(deployment) as it:
        event = await it.offload(call, LINES, call_id=call)
        assert event.ref is not None
        assert len(event.ref) <= 200
        assert call not in text_of(event)
        stored = (await it.request("list"))["ok"]["tool_results"][0]
    assert stored["tool_id"] == call


@pytest.mark.parametrize(
    "call", ["a.b/c d", "../../x", "thread:42/a b", "*", ">", "ключ", "呼び出し-🧥", "\x00\n", "c" * 80]
)
async def test_id_of_any_shape_comes_back(deployment: Settings, call: str) -> None:
    async with worker_here(deployment), agent(deployment, session="сессия/1 *") as it:
        event = await it.offload(call, LINES, turn=call)
        assert (event.session_id, event.turn_id, event.call_id) == ("сессия/1 *", call, call)
        assert await it.read_all(event.ref or "") == LINES


@pytest.mark.parametrize(
    "tool", ["../../x", "/tmp/x", "a/b", "CON", "nul\x00", "x" * 300, "搜索", "Zoë 🧥", "a\nref: coat://x"]
)
async def test_tool_name_is_data_and_no_more(deployment: Settings, tool: str) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        event = await it.offload("c1", LINES, tool=tool)
        stored = (await it.request("list"))["ok"]["tool_results"][0]
    assert (event.tool_name, stored["tool_name"]) == (tool, tool)
    assert [line for line in text_of(event).splitlines() if line.startswith("ref: ")] == [f"ref: {event.ref}"]


async def test_empty_and_blank_results_stay_inline(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        assert (await it.offload("c1", "")).content == ""
        assert (await it.offload("c2", " \n\t ")).content == " \n\t "


async def test_read_back_is_never_offloaded_again(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        event = await it.offload("c1", LINES)
        page = (await it.request("read", {"ref": event.ref, "limit": 25_000}))["ok"]["content"]
        again = await it.offload("c2", page, tool="tool_result_read", source_ref=event.ref)
        foreign = await it.offload("c3", page, tool="tool_result_read", source_ref="coat://other/c-" + "0" * 32)
        other_tool = await it.offload("c4", page, tool="cat", source_ref=event.ref)
    assert len(page) == 25_000
    assert (again.disposition, again.reason, again.ref, again.content) == ("inline", "source_read", event.ref, page)
    assert (foreign.disposition, other_tool.disposition) == ("offloaded", "offloaded")


async def test_artifact_is_kept_and_not_counted(deployment: Settings) -> None:
    artifact = {"rows": ["x" * 100] * 5000}
    async with worker_here(deployment), agent(deployment) as it:
        small = await it.offload("c1", "ten chars.", structured_content=artifact)
        large = await it.offload("c2", "y" * 90_000, structured_content={"ok": True})
        stored = {entry["tool_id"]: entry for entry in (await it.request("list"))["ok"]["tool_results"]}
        part = stored["c1"]["parts"][-1]
        page = (await it.request("read", {"ref": part["ref"], "limit": -1}))["ok"]
    assert (small.disposition, small.content) == ("inline", "ten chars.")
    assert large.disposition == "offloaded"
    assert (part["type"], part["bytes"]) == ("structured_content", len(msgspec.json.encode(artifact)))
    assert msgspec.json.decode(page["content"]) == artifact
    assert stored["c2"]["parts"][-1]["type"] == "structured_content"


async def test_text_blocks_are_joined_and_media_passed_on(deployment: Settings) -> None:
    picture = {"type": "image", "data": base64.b64encode(b"\x89PNG" * 9000).decode(), "mimeType": "image/png"}
    texts = [{"type": "text", "text": "a" * 30_000}, {"type": "text", "text": "b" * 30_000}]
    async with worker_here(deployment), agent(deployment) as it:
        event = await it.offload("c1", [texts[0], picture, texts[1]])
        small = await it.offload("c2", [{"type": "text", "text": "look"}, picture])
        whole = await it.read_all(event.ref or "")
        part = (await it.request("read", {"ref": f"{event.ref}/1", "unit": "bytes", "limit": -1}))["ok"]
    blocks = [msgspec.json.decode(raw) for raw in event.content if isinstance(raw, msgspec.Raw)]
    assert (event.disposition, event.original_chars) == ("offloaded", 60_001)
    assert whole == "a" * 30_000 + "\n" + "b" * 30_000
    assert [block["type"] for block in blocks] == ["text", "image"]
    assert blocks[0]["text"].startswith("[Coatcheck: tool result offloaded]")
    assert blocks[1] == picture
    assert base64.b64decode(part["content"]) == b"\x89PNG" * 9000
    assert [msgspec.json.decode(raw) for raw in small.content if isinstance(raw, msgspec.Raw)][1] == picture


async def test_control_characters_that_no_message_carries_are_offloaded(deployment: Settings) -> None:
    """200 kB of them fit a message as they come, and are 1.2 MB as JSON."""
    text = "\x01" * 200_000
    headers, body = encode_binary(text.encode(), tool_name="cat", event_id="1", source="test")
    async with worker_here(deployment), agent(deployment) as it:
        await it.publish_raw(it.subjects.results(it.address("c1")), body, headers)
        event = await it.stub("c1")
        assert (event.disposition, event.reason) == ("offloaded", "message_limit")
        assert await it.read_all(event.ref or "") == text


async def test_tool_overrides_and_never_take_effect(nats_server: NatsServer, s3_server: S3Server) -> None:
    tools = {"short": {"result": {"threshold": 900}}, "always": {"never": True}, "off": {"result": {"offload": False}}}
    async with (
        deployed(nats_server, s3_server, tools=tools) as settings,
        worker_here(settings),
        agent(settings) as it,
    ):
        dispositions = {
            tool: (await it.offload(tool, LINES[:length], tool=tool)).disposition
            for tool, length in (("short", 5000), ("always", 50_000), ("off", 50_000), ("other", 50_000))
        }
    assert dispositions == {"short": "offloaded", "always": "inline", "off": "inline", "other": "offloaded"}


async def test_lone_surrogates_are_replaced_and_counted(deployment: Settings) -> None:
    body = b'{"tool_name":"cat","content":"' + b"x" * 30_000 + b'\\ud800 and \\udfff"}'
    async with worker_here(deployment), agent(deployment) as it:
        await it.publish_raw(it.subjects.results(it.address("c1")), body)
        event = await it.stub("c1")
        stored = (await it.request("list"))["ok"]["tool_results"][0]
        assert (await it.read_all(event.ref or "")).endswith("x\ufffd and \ufffd")
    assert stored["replaced_surrogates"] == 2


async def test_parallel_calls_keep_their_pairing(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        for number in range(4):
            await it.publish(f"c{number}", f"{number}" * 30_000, turn="t", tool=f"tool{number}", is_error=number == 2)
        events = [await it.stub(f"c{number}", "t") for number in range(4)]
        for number, event in enumerate(events):
            assert (event.tool_name, event.is_error) == (f"tool{number}", number == 2)
            assert await it.read_all(event.ref or "") == f"{number}" * 30_000


async def test_agents_of_one_host_never_share(deployment: Settings) -> None:
    """The same tool and call id in three sessions: three originals, each for its own."""
    async with (
        worker_here(deployment),
        agent(deployment, "one") as one,
        agent(deployment, "two") as two,
        agent(deployment, "three") as three,
    ):
        agents = [one, two, three]
        events = [await it.offload("c1", it.session * 10_000, agent_id=it.session) for it in agents]
        for it, event in zip(agents, events, strict=True):
            assert await it.read_all(event.ref or "") == it.session * 10_000
        refused = await two.request("read", {"ref": events[0].ref})
        bare = await two.request("read", {"ref": events[0].result_id})
    assert (refused["error"]["code"], bare["error"]["code"]) == ("not_found", "not_found")


async def test_the_same_result_three_times_is_one_stub(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        for _ in range(3):
            await it.publish("c1", LINES)
        await eventually(lambda: _empty(deployment), expecting="an empty queue")
        await it.offload("c2", "done")
        assert [event.call_id for event in it.events] == ["c1", "c2"]


async def test_stub_is_the_same_on_any_worker_and_in_any_order(nats_server: NatsServer, s3_server: S3Server) -> None:
    contents = {f"c{i}": f"{i} " * 15_000 for i in range(5)}
    stubs: list[dict[str, str]] = []
    for order in (list(contents), list(reversed(contents))):
        async with (
            deployed(nats_server, s3_server) as settings,
            worker_here(settings),
            worker_here(settings),
            agent(settings) as it,
        ):
            for call in order:
                await it.publish(call, contents[call])
            stubs.append({call: text_of(await it.stub(call)) for call in contents})
    assert stubs[0] == stubs[1]


async def _count(it: Agent, count: int) -> None:
    await eventually(lambda: len(it.events) == count, expecting=f"{count} stub events")


async def _empty(settings: Settings) -> bool:
    return await waiting_results(settings) == 0
