"""A result whose synopsis is made in a child process, from end to end."""

import os
from pathlib import Path

import pytest
from tests.support.agents import agent
from tests.support.processes import is_alive
from tests.support.servers import deployed
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck_core import sizes
from coatcheck_core.settings import Settings
from coatcheck_schemas.synopsis import TextFacts, UnknownFacts
from coatcheck_workers.embedded import NatsServer, S3Server

LARGE = "".join(f"line {number} of a large result\n" for number in range(20_000))


@pytest.fixture(autouse=True)
def _large_is_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message of the usual server is never larger than what threads are for."""
    monkeypatch.setattr(sizes, "LARGE_BYTES", 100_000)


def children() -> set[int]:
    """The processes that this one has started to isolate something."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                command = (entry / "cmdline").read_bytes()
            except (OSError, IndexError):
                continue
            if parent == os.getpid() and b"coatcheck_workers.isolation.child" in command:
                found.add(int(entry.name))
    return found


async def test_its_facts_are_made_in_a_child_that_goes_with_the_worker(deployment: Settings) -> None:
    before = children()
    async with worker_here(deployment), agent(deployment) as it:
        event = await it.offload("c1", LARGE)
        made_in = children() - before
        assert len(made_in) == 1
    assert event.synopsis is not None
    facts = event.synopsis.facts
    assert isinstance(facts, TextFacts)
    assert (facts.chars, facts.lines) == (len(LARGE), 20_000)
    await eventually(lambda: not any(map(is_alive, made_in)), expecting="the end of the child")


async def test_past_the_limit_the_stub_says_so_and_the_result_is_kept(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    limit = {"synopsis_seconds": 0.000001}
    async with (
        deployed(nats_server, s3_server, worker=limit) as settings,
        worker_here(settings),
        agent(settings) as it,
    ):
        event = await it.offload("c1", LARGE)
        assert event.ref is not None
        assert await it.read_all(event.ref) == LARGE
    assert event.synopsis is not None
    facts = event.synopsis.facts
    assert isinstance(facts, UnknownFacts)
    assert facts.why == "time_limit"
    assert "not analysed: it took too long" in str(event.content)
    assert event.original_chars == len(LARGE)


async def test_an_unknown_style_is_refused_at_the_start(nats_server: NatsServer, s3_server: S3Server) -> None:
    async with deployed(nats_server, s3_server, stub={"style": "no.such.module:f"}) as settings:
        with pytest.raises(Exception, match=r"stub\.style 'no\.such\.module:f'"):
            async with worker_here(settings):
                raise AssertionError("it started")


async def test_a_worker_sends_the_first_lines_where_that_is_the_style(
    nats_server: NatsServer, s3_server: S3Server
) -> None:
    style = {"style": "lines", "lines": 2}
    async with (
        deployed(nats_server, s3_server, stub=style) as settings,
        worker_here(settings),
        agent(settings) as it,
    ):
        event = await it.offload("c1", LARGE)
        stub = str(event.content)
        page = (await it.request("read", {"ref": event.ref, "unit": "lines", "offset": 2, "limit": 1}))["ok"]
    assert stub.endswith(
        "First 2 of 20000 lines, each cut at 1000 characters:\n     1  line 0 of a large result\n"
        "     2  line 1 of a large result"
    )
    assert page["content"] == "line 2 of a large result\n"
    assert event.kind == "text"


async def test_a_style_that_fails_costs_no_result(
    nats_server: NatsServer, s3_server: S3Server, caplog: pytest.LogCaptureFixture
) -> None:
    style = {"style": "tests.support.stub_styles:failing"}
    async with (
        deployed(nats_server, s3_server, stub=style) as settings,
        worker_here(settings),
        agent(settings) as it,
    ):
        events = [await it.offload(f"c{number}", f"{number} {LARGE}") for number in range(2)]
    assert all(str(event.content).startswith("[Coatcheck: tool result offloaded]") for event in events)
    assert len([record for record in caplog.records if "stub.style" in record.getMessage()]) == 1
