"""Whatever headers a message came with, its dead letter goes out, and the next result goes through."""

from tests.support.agents import Agent, Letter, agent, dead_letters
from tests.support.raw import publish_as_is
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings

MAX_HEADER_BYTES = 65_000
"""JetStream refuses a little more."""


async def only_letter(it: Agent, settings: Settings) -> Letter:
    """The letter, once its failed stub has come and the result after it went through."""
    assert (await it.stub("c1")).disposition == "failed"
    assert (await it.offload("c2", "next")).content == "next"
    (letter,) = await eventually(lambda: dead_letters(settings), expecting="a dead letter")
    assert isinstance(letter, Letter)
    return letter


async def test_header_names_that_a_client_refuses_are_left_out(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        headers = b'a(b): x\r\n"q": x\r\nline: a\nb\r\nX-Trace: 7\r\n'
        await publish_as_is(deployment.nats.url, it.subjects.results(it.address("c1")), headers, b"bad")
        letter = await only_letter(it, deployment)
    assert letter.headers["Coat-Omitted-Headers"] == "2"
    assert (letter.headers["X-Trace"], letter.headers["line"]) == ("7", "a%0Ab")


async def test_as_many_headers_as_a_stream_takes_leave_room_for_the_letter_s_own(deployment: Settings) -> None:
    async with worker_here(deployment), agent(deployment) as it:
        line = b"h%06d: " + b"x" * 988 + b"\r\n"
        headers = b"".join(line % number for number in range(MAX_HEADER_BYTES // 1000))
        await publish_as_is(deployment.nats.url, it.subjects.results(it.address("c1")), headers, b"bad")
        letter = await only_letter(it, deployment)
    assert int(letter.headers["Coat-Omitted-Headers"]) > 30
    assert letter.headers["Coat-Reason"] == "invalid_json"
