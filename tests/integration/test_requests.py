"""Requests reach a worker, always get a reply, and the reply goes where it may and fits."""

import asyncio
import os
from typing import Any

import msgspec
import pytest
from nats.aio.msg import Msg
from tests.support.agents import Agent, agent
from tests.support.servers import connected
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_schemas.events import MESSAGE_RESERVE_BYTES
from coatcheck_schemas.results import encode_binary
from coatcheck_workers.storage.opening import KEPT_CONNECTIONS


async def ask(it: Agent, verb: str, body: bytes, headers: dict[str, str] | None = None) -> Msg:
    return await it.client.request(it.subjects.request(verb, "s1"), body, timeout=30, headers=headers)


@pytest.mark.parametrize("verb", ["read", "search", "list", "replay", "delete", "link", "upload", "clear"])
@pytest.mark.parametrize("body", [b"not json", b"[]", b'{"nonsense": 1}', b"\xff", b"[" * 50_000])
async def test_bad_request_gets_invalid_argument(deployment: Settings, verb: str, body: bytes) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        reply = await ask(it, verb, body)
        answer: dict[str, Any] = msgspec.json.decode(reply.data)
        assert set(answer) == {"error"}
        assert answer["error"]["code"] == "invalid_argument"
        assert (reply.headers or {})["Nats-Service-Error-Code"] == "400"
        assert (reply.headers or {})["Nats-Service-Error"]


@pytest.mark.parametrize("operation", ["read", "write", "edit", "glob", "grep", "rm"])
async def test_a_request_for_files_that_says_nothing_is_refused(deployment: Settings, operation: str) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        reply = await it.client.request(f"{it.subjects.prefix}.fs.s1.{operation}", b"{}", timeout=30)
        assert msgspec.json.decode(reply.data)["error"]["code"] == "invalid_argument"


async def test_session_that_is_no_segment_is_refused(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        for segment in ("*", "=41", "=ff", "a=b"):
            reply = await it.client.request(f"{it.subjects.prefix}.list.{segment}", b"{}", timeout=30)
            assert msgspec.json.decode(reply.data)["error"]["code"] == "invalid_argument"


async def test_reply_never_exceeds_what_a_message_carries(deployment: Settings) -> None:
    """A reply over it would end the worker's connection, and with it every other session's requests."""
    async with worker_here(deployment), agent(deployment) as it:
        limit = it.client.max_payload - MESSAGE_RESERVE_BYTES
        for call, text in (("plain", "x" * 1_047_000), ("escaped", "\x01" * 300_000), ("wide", "世" * 348_900)):
            headers, body = encode_binary(text.encode(), tool_name="cat", event_id="1", source="test")
            await it.publish_raw(it.subjects.results(it.address(call)), body, headers)
            event = await it.stub(call)
            reply = await ask(it, "read", msgspec.json.encode({"ref": event.ref, "limit": -1}))
            page = msgspec.json.decode(reply.data)["ok"]
            assert len(reply.data) <= limit
            assert page["has_more"] is True
            assert await it.read_all(event.ref or "") == text
        assert it.client.is_connected


async def test_long_correlation_id_does_not_burst_the_headers(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        reply = await ask(it, "list", b"{}", {"correlation_id": "x" * 100_000})
        assert "ok" in msgspec.json.decode(reply.data)
        assert len((reply.headers or {}).get("correlation_id", "")) <= 64


async def test_reply_goes_to_an_inbox_only(deployment: Settings) -> None:
    async with worker_here(deployment) as worker, agent(deployment) as it, connected(deployment) as admin:
        stream = it.subjects.stream("stubs")
        for subject in (it.subjects.stubs("s1", "=", "forged"), "elsewhere", ""):
            await it.client.publish(it.subjects.request("list", "s1"), b"{}", reply=subject)
        await it.client.flush()
        requests = next(r for r in worker._requests if r._subject.split(".")[1] == "list")
        await eventually(lambda: requests.tally.counts["inbox"] == 3, expecting="three requests dropped")
        assert "ok" in await it.request("list")
        assert (await admin.jetstream().stream_info(stream)).state.messages == 0


async def test_requests_are_answered_side_by_side(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        answers = await asyncio.gather(*(it.request("list") for _ in range(200)))
    assert all("ok" in answer for answer in answers)


async def test_readers_that_vanish_leave_no_sockets_behind(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        event = await it.offload("c1", "x" * 900_000)
        read = msgspec.json.encode({"ref": event.ref, "limit": -1})
        subject = it.subjects.request("read", "s1")

        async def read_50_and_leave() -> None:
            for number in range(50):
                await it.client.publish(subject, read, reply=f"_INBOX.gone.{number}")
            await it.client.flush()
            await asyncio.gather(*(it.request("read", {"ref": event.ref}) for _ in range(50)))

        await read_50_and_leave()
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(3):
            await read_50_and_leave()
        await eventually(
            lambda: len(os.listdir("/proc/self/fd")) <= before + KEPT_CONNECTIONS,
            expecting="no more sockets than are kept",
        )
