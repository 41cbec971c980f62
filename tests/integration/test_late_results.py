"""What is still on its way while its session is deleted, on real servers with two workers."""

from tests.support.agents import agent, dead_letters
from tests.support.uploading import Producer
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings

TEXT = "line of a text\n" * 3000


async def test_an_upload_that_waits_is_refused_and_its_call_and_a_turn_live_anew(deployment: Settings) -> None:
    async with worker_here(deployment), worker_here(deployment), agent(deployment) as one:
        producer = Producer(one, "c")
        await producer.open()
        await producer.send(0, b"what is to be forgotten")
        await one.publish("w", "waits", turn="t", turn_size=2)
        assert "ok" in await one.request("delete", {"all": True})

        refused = await one.stub("c")
        assert (refused.disposition, refused.reason) == ("failed", "invalid")
        assert "this session was deleted at" in str(refused.content)
        (letter,) = await dead_letters(deployment)
        assert letter.headers["Coat-Reason"] == "deleted"
        assert letter.data == b""

        one.events.clear()
        event = await one.offload("c", TEXT)
        assert await one.read_all(str(event.ref)) == TEXT
        await one.publish("w", "waits", turn="t", turn_size=2)
        await one.publish("x", "waits as well", turn="t", turn_size=2)
        # Well before the deadline: nothing of the old turn is counted, nor waited for.
        assert {(await one.stub(call, "t")).disposition for call in "wx"} == {"inline"}
