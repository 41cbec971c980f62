"""Results that can never be processed: a dead letter with the reason, a `failed` stub; the next one goes through."""

import msgspec
import pytest
from tests.support.agents import agent, dead_letters, waiting_results
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_schemas.segments import encode_segment

BAD_BODIES = {
    "not JSON": (b"not-json", "not JSON"),
    "empty": (b"", "empty"),
    "wrong type": (b'{"tool_name": 1, "content": "x"}', "tool_name"),
    "no tool name": (b'{"x": 1}', "tool_name"),
    "no content": (b'{"tool_name": "cat"}', "content is missing"),
    "unknown block": (b'{"tool_name": "cat", "content": [{"type": "hologram"}]}', "hologram"),
    "bad base64": (b'{"tool_name": "cat", "content": [{"type": "image", "data": "%%"}]}', "base64"),
    "too deep": (
        b'{"tool_name": "cat", "content": "x", "arguments": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "deep",
    ),
    "not UTF-8": (b'{"tool_name": "cat", "content": "\xff"}', "not JSON"),
    "content and an upload": (b'{"tool_name": "cat", "content": "x", "upload": "u1"}', "exclude each other"),
    "an upload that is no segment": (b'{"tool_name": "cat", "upload": "a.b"}', "upload: "),
}


@pytest.mark.parametrize("name", BAD_BODIES)
async def test_bad_body_is_a_dead_letter_and_a_failed_stub(deployment: Settings, name: str) -> None:
    body, said = BAD_BODIES[name]
    async with worker_here(deployment), agent(deployment) as it:
        await it.publish_raw(it.subjects.results(it.address("c1", "t1")), body)
        event = await it.stub("c1", "t1")
        assert (event.disposition, event.reason, event.ref, event.result_id) == ("failed", "invalid", None, None)
        assert said in str(event.content)
        assert [subject.rpartition(".")[2] for subject in it.raw] == ["c1-failed"]
        (letter,) = await dead_letters(deployment)
        assert letter.subject == it.subjects.dlq(it.address("c1", "t1"))
        assert letter.data == body
        assert letter.headers["Coat-Subject"] == it.subjects.results(it.address("c1", "t1"))
        assert letter.headers["Coat-Reason"]
        assert letter.headers["Coat-Attempts"] == "1"
        assert (await it.offload("c2", "next")).content == "next"
        await eventually(lambda: _empty(deployment), expecting="an empty queue")


async def test_bad_cloudevent_is_a_dead_letter(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        headers = {"ce-specversion": "1.0", "ce-type": "dev.coatcheck.tool_result.v1", "ce-toolname": "%FF"}
        await it.publish_raw(it.subjects.results(it.address("c1")), b"x", headers)
        assert "ce-toolname" in str((await it.stub("c1")).content)


@pytest.mark.parametrize(
    "segments", ["*.t.c", ">.t.c", "s.=41.c", "s.=FF.c", "s.t", "s.t.c.d", "s.t.=c3=a4", "s.t." + "c" * 81]
)
async def test_subject_that_is_not_ours_leads_nowhere(deployment: Settings, segments: str) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        subject = f"{it.subjects.prefix}.results.{segments}"
        await it.publish_raw(subject, b'{"tool_name": "cat", "content": "x"}')
        letters = await eventually(lambda: dead_letters(deployment), expecting="a dead letter")
        assert [letter.subject for letter in letters] == [f"{it.subjects.prefix}.dlq.=.=.="]
        assert letters[0].headers["Coat-Subject"] == subject
        assert (await it.offload("c2", "next")).content == "next"
        assert len(it.events) == 1


async def test_id_of_the_body_must_be_the_one_of_the_subject(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        await it.publish("c1", "x", session_id="another")
        event = await it.stub("c1")
        assert (event.disposition, "session_id" in str(event.content)) == ("failed", True)
        assert len(await dead_letters(deployment)) == 1


async def test_shortened_segment_without_its_id_stands_for_it(deployment: Settings) -> None:
    call = "x" * 4096
    async with worker_here(deployment), agent(deployment) as it:
        await it.publish(call, "hello")
        assert (await it.stub(encode_segment(call))).content == "hello"


async def test_headers_that_act_on_nats_are_renamed_in_a_dead_letter(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        headers = {"Nats-Msg-Id": "mine", "Nats-Expected-Stream": it.subjects.stream("results"), "x-trace": "7"}
        await it.publish_raw(it.subjects.results(it.address("c1")), b"bad", headers)
        (letter,) = await eventually(lambda: dead_letters(deployment), expecting="a dead letter")
    assert letter.headers["Coat-Original-Nats-Msg-Id"] == "mine"
    assert letter.headers["Coat-Original-Nats-Expected-Stream"] == it.subjects.stream("results")
    assert letter.headers["Nats-Msg-Id"].startswith(it.subjects.stream("results"))
    assert letter.headers["x-trace"] == "7"


async def test_dead_letter_too_large_with_its_headers_keeps_its_body_in_storage(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        body = b"{" + b" " * (it.client.max_payload - 200)
        await it.publish_raw(it.subjects.results(it.address("c1")), body)
        assert (await it.stub("c1")).disposition == "failed"
        (letter,) = await dead_letters(deployment)
        assert letter.data == b""
        assert letter.headers["Coat-Body"].startswith("s3://")


async def test_reply_to_header_of_a_result_makes_nothing_reply(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        victim = f"{it.subjects.prefix}.stubs.s1.=.forged"
        body = msgspec.json.encode({"tool_name": "cat", "content": "x"})
        await it.publish_raw(it.subjects.results(it.address("c1")), body, {"reply_to": victim})
        await it.stub("c1")
        await it.offload("c2", "next")
        assert victim not in it.raw


async def _empty(settings: Settings) -> bool:
    return await waiting_results(settings) == 0
