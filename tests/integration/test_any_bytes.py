"""Messages that are no UTF-8 where nats-py expects it: no worker and no agent goes deaf."""

import pytest
from tests.support.agents import agent, dead_letters
from tests.support.raw import publish_as_is
from tests.support.wait import eventually
from tests.support.workers import worker_here

import coatcheck
from coatcheck_core.settings import Settings

BODY = b'{"tool_name": "cat", "content": "hello"}'


async def test_result_on_a_subject_that_is_no_utf8_is_a_dead_letter(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        prefix = deployment.nats.prefix.encode()
        await publish_as_is(deployment.nats.url, prefix + b".results.s1.t.\xff\xfe", b"", BODY)
        (letter,) = await eventually(lambda: dead_letters(deployment), expecting="a dead letter")
        assert letter.subject == f"{deployment.nats.prefix}.dlq.=.=.="
        assert (await it.offload("c2", "next")).content == "next"


@pytest.mark.parametrize(
    ("subject", "status"), [(b".list.\xff", b""), (b".list.s1", b" \xff\xfe\xfd"), (b".list.s1", b" 999 \xff")]
)
async def test_request_of_odd_bytes_leaves_the_worker_hearing(
    deployment: Settings, subject: bytes, status: bytes
) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        named = deployment.nats.prefix.encode() + subject
        await publish_as_is(deployment.nats.url, named, b"", b"{}", reply=b"_INBOX.nobody", status=status)
        assert "ok" in await it.request("list")
        assert (await it.offload("c1", "next")).content == "next"


async def test_result_with_a_status_line_of_odd_bytes_goes_through(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        subject = it.subjects.results(it.address("c1"))
        await publish_as_is(deployment.nats.url, subject, b"", BODY, status=b" \xff\xfe\xfd")
        assert (await it.stub("c1")).content == "hello"


async def test_agent_goes_on_hearing_its_stubs(deployment: Settings) -> None:
    async with (
        worker_here(deployment),
        coatcheck.connect(deployment.nats.url, prefix=deployment.nats.prefix) as client,
        client.stubs("s1") as stubs,
        agent(deployment) as it,
    ):
        await publish_as_is(deployment.nats.url, deployment.nats.prefix.encode() + b".stubs.s1.=.\xff", b"", b"{}")
        await it.publish("c1", "hello")
        async for event in stubs:
            assert event.call_id == "c1"
            break
