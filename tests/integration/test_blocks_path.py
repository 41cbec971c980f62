"""Results of several blocks through a real worker: what the session gets, what is kept, and how it is restored."""

import base64
import json
import random
from typing import Any

import msgspec
import pytest
from tests.support.agents import Agent, agent
from tests.support.uploading import Producer
from tests.support.workers import worker_here

import coatcheck
from coatcheck.client.restoring import restored_blocks
from coatcheck_core.settings import Settings
from coatcheck_schemas.blocks import MAX_BLOCKS_BYTES
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.refs import result_id, sha256_hex
from coatcheck_schemas.requests import ReadReply, ReadRequest, SearchReply

MIB = 1024 * 1024
LINE = "The quick brown fox jumps over the lazy dog.\n"


def text(value: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **fields}


def prose(chars: int) -> str:
    return (LINE * (chars // len(LINE) + 1))[:chars]


def png(size: int, seed: int = 1) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + random.Random(seed).randbytes(size - 8)


def image(data: bytes, mime_type: str = "image/png") -> dict[str, Any]:
    return {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": mime_type}


def blocks_of(event: StubEvent) -> list[dict[str, Any]]:
    assert isinstance(event.content, list)
    return [json.loads(bytes(block)) for block in event.content]


async def ask(one: Agent, verb: str, **fields: Any) -> bytes:
    subject = one.subjects.request(verb, one.address("").session)
    reply = await one.client.request(subject, json.dumps(fields).encode(), timeout=30)
    answer = json.loads(reply.data)
    assert "ok" in answer, answer
    return json.dumps(answer["ok"]).encode()


async def read(one: Agent, ref: str, **fields: Any) -> ReadReply:
    return msgspec.json.decode(await ask(one, "read", ref=ref, **fields), type=ReadReply)


async def restored(one: Agent, event: StubEvent) -> list[dict[str, Any]]:
    async def by_request(request: ReadRequest) -> ReadReply:
        return await read(one, **msgspec.structs.asdict(request))

    return await restored_blocks(by_request, str(event.ref))


async def test_the_sum_of_three_texts_decides_and_their_bounds_are_restored(deployment: Settings) -> None:
    blocks = [text(prose(30_000)), text("é" * 30_000), text(prose(30_000)[::-1])]
    async with worker_here(deployment), agent(deployment, "s") as one:
        event = await one.offload("c", blocks)
        assert (event.disposition, event.reason, event.original_chars) == ("offloaded", "single_threshold", 90_002)
        assert [(part.start, part.end) for part in event.parts or []] == [
            (0, 30_000),
            (30_001, 60_001),
            (60_002, 90_002),
        ]
        for index, block in enumerate(blocks):
            page = await read(one, f"{event.ref}/{index}", limit=-1)
            assert (page.content, page.total_chars) == (block["text"], 30_000)
        assert await restored(one, event) == blocks


async def test_a_megabyte_of_image_with_a_copy_is_no_text_and_its_text_is_kept(deployment: Settings) -> None:
    data = png(MIB * 3 // 4)
    blocks = [text(prose(200)), image(data)]
    structured = {"result": [text(prose(200)), {"type": "image", "alt": "a chart"}]}
    async with worker_here(deployment), agent(deployment, "s") as one:
        await Producer(one, "c").publish(json.dumps(blocks).encode(), blocks=True, structured_content=structured)
        event = await one.stub("c")
        assert (event.disposition, event.original_chars) == ("offloaded", 200)
        stub, reference = blocks_of(event)
        assert prose(200).splitlines()[0] in stub["text"]
        assert reference == text(f"[image/png, {len(data)} bytes, kept as {event.ref}/1]")
        assert blocks[1]["data"][:100] not in json.dumps(blocks_of(event))
        assert [(part.type, part.mime_type) for part in event.parts or []] == [
            ("text", None),
            ("image", "image/png"),
            ("structured_content", "application/json"),
        ]
        page = await read(one, f"{event.ref}/1", unit="bytes", limit=100)
        assert (base64.b64decode(page.content), page.total_bytes) == (data[:100], len(data))
        assert json.loads((await read(one, f"{event.ref}/2")).content) == structured
        assert await restored(one, event) == blocks


async def test_blocks_in_pieces_are_what_they_would_be_in_one_message(deployment: Settings) -> None:
    """Over one message in all, for every kind of block."""
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><text>needle</text></svg>'
    blocks = [
        text(prose(40_000), annotations={"audience": ["user"]}),
        image(png(900_000, 2), "image/jpeg"),
        text(""),
        {"type": "audio", "data": base64.b64encode(b"OggS" + b"\0" * 50_000).decode(), "mimeType": "audio/ogg"},
        {"type": "resource", "resource": {"uri": "file:///a.svg", "text": svg, "mimeType": "image/svg+xml"}},
        {"type": "resource", "resource": {"uri": "file:///b", "blob": base64.b64encode(b"\0\x01" * 9).decode()}},
        {"type": "resource_link", "uri": "https://example.org/x", "name": "x"},
        text("\n🧥\n"),
    ]
    joined = "\n".join(block["text"] for block in blocks if block["type"] == "text")
    async with worker_here(deployment), agent(deployment, "s") as one:
        await Producer(one, "c", upload="u2").publish(json.dumps(blocks, ensure_ascii=False).encode(), blocks=True)
        event = await one.stub("c")
        assert event.result_id == result_id("c", sha256_hex(joined.encode()))
        assert (event.original_chars, event.kind) == (len(joined), "text")
        assert await restored(one, event) == blocks
        page = await read(one, str(event.ref), metadata=True)
        assert page.metadata is not None
        assert page.metadata.warnings == ["block 1 was declared image/jpeg, its bytes are image/png"]
        assert (await read(one, f"{event.ref}/4", offset=-6)).content == "</svg>"
        found = msgspec.json.decode(await ask(one, "search", query="needle", ref=f"{event.ref}/4"), type=SearchReply)
        assert [(match.ref, match.offset) for match in found.matches] == [(f"{event.ref}/4", svg.index("needle"))]


async def test_screenshots_under_one_call_id_are_not_mixed(deployment: Settings) -> None:
    shots = {turn: png(MIB, seed) for seed, turn in enumerate(("t1", "t2", "t3"))}
    async with worker_here(deployment), agent(deployment, "s") as one:
        events = {}
        for turn, data in [*shots.items(), *shots.items()]:
            producer = Producer(one, "shot", turn=turn, upload=f"u-{turn}-{len(one.events)}")
            await producer.publish(json.dumps([image(data)]).encode(), blocks=True)
            events[turn] = await one.stub("shot", turn)
        assert len({event.ref for event in events.values()}) == 3
        assert events["t1"].result_id == result_id("shot", sha256_hex(b""))
        for turn, data in shots.items():
            assert await restored(one, events[turn]) == [image(data)]
        assert [count for count in one.subject_counts.values() if count > 1] == []


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (b'[{"type":"text","text":"a"}', "the pieces are not a JSON list of content blocks"),
        (b'{"type":"text","text":"a"}', "the pieces are not a JSON list of content blocks"),
        (b'[{"type":"text","text":"a"},{"type":"image","data":"?"}]', "not base64 at $[1].data"),
        (b"[" + b"1," * 200_000 + b"1]", "content has over 100000 blocks"),
        (b'[{"type":"text","text":"' + b"a" * MAX_BLOCKS_BYTES + b'"}]', "a list may have 67108864"),
    ],
    ids=["cut", "no list", "no base64", "too many", "too large"],
)
async def test_pieces_that_are_no_blocks_are_refused(deployment: Settings, document: bytes, told: str) -> None:
    async with worker_here(deployment), agent(deployment, "s") as one:
        await Producer(one, "c").publish(document, blocks=True)
        event = await one.stub("c")
        assert event.disposition == "failed"
        assert told in str(event.content)


async def test_tens_of_thousands_of_blocks_are_read_with_their_metadata(deployment: Settings) -> None:
    blocks = [text(f"row {number}") for number in range(30_000)]
    async with worker_here(deployment), agent(deployment, "s") as one:
        await Producer(one, "c").publish(json.dumps(blocks).encode(), blocks=True)
        event = await one.stub("c")
        assert event.total_parts == 30_001
        page = await read(one, str(event.ref), metadata=True)
        assert page.metadata is not None
        assert (page.total_parts, page.metadata.total_parts) == (30_001, 30_001)
        assert (await read(one, f"{event.ref}/29999")).content == "row 29999"
        assert await restored(one, event) == blocks


async def test_the_client_sends_blocks_of_any_size_and_restores_them(deployment: Settings) -> None:
    lists = {turn: [text("taken"), image(png(2 * MIB, seed))] for seed, turn in enumerate(("t1", "t2"))}
    nats = deployment.nats
    async with worker_here(deployment), coatcheck.connect(nats.url, prefix=nats.prefix) as client:
        refs = {}
        for turn, blocks in lists.items():
            event = await client.submit("s", blocks, tool_name="shot", call="shot", turn=turn)
            assert (event.turn_id, event.disposition) == (turn, "offloaded")
            refs[turn] = str(event.ref)
        for turn, blocks in lists.items():
            assert await client.blocks("s", refs[turn]) == blocks


async def test_blocks_of_a_producer_that_gave_up_tell_why(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment, "s") as one:
        producer = Producer(one, "c")
        await producer.open(blocks=True)
        await producer.send(0, b'[{"type":"text","text":"half of')
        await producer.fail("the disk is full")
        event = await one.stub("c")
        assert event.disposition == "failed"
        assert "gave up: the disk is full" in str(event.content)


async def test_more_lists_than_have_room_come_one_after_another(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment, "s") as one:
        for number in range(5):
            document = json.dumps([text(f"{number}\n" * 30_000), image(png(MIB, number))]).encode()
            await Producer(one, f"c{number}", upload=f"u{number}").publish(document, blocks=True)
        for number in range(5):
            assert (await one.stub(f"c{number}")).disposition == "offloaded"
