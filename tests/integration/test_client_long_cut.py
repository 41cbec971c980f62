"""An agent whose connection is away for a long time while its tools' results arrive."""

import asyncio

import pytest
from tests.support.proxy import proxied
from tests.support.workers import worker_here

import coatcheck
from coatcheck_core.settings import Settings

CUT_SECONDS = 15.0
EVENTS = 500
SESSION = "s1"


@pytest.mark.parametrize("cut_seconds", [CUT_SECONDS])
async def test_a_long_cut_loses_and_doubles_none_of_500_stubs(deployment: Settings, cut_seconds: float) -> None:
    """Published over the whole of the cut, by another connection, through a real worker."""
    prefix = deployment.nats.prefix
    async with (
        worker_here(deployment),
        proxied(deployment.nats.url) as (proxy, url),
        coatcheck.connect(url, prefix=prefix) as agent,
        coatcheck.connect(deployment.nats.url, prefix=prefix) as tool,
        agent.stubs(SESSION) as stubs,
        tool.stubs(SESSION, turn="t1") as witness,
    ):
        before = await tool.submit(SESSION, "before", tool_name="cat")
        assert await asyncio.wait_for(anext(stubs), 60) == before
        proxy.cut()
        calls = [f"c{number}" for number in range(EVENTS)]
        for call in calls:
            await tool.publish(SESSION, f"the output of {call}", tool_name="cat", turn="t1", call=call)
            await asyncio.sleep(cut_seconds / EVENTS)
        async with asyncio.timeout(60):
            assert {(await anext(witness)).call_id for _ in range(EVENTS)} == set(calls)
        proxy.heal()
        async with asyncio.timeout(60):
            got = [(await anext(stubs)).call_id for _ in range(EVENTS)]
        assert sorted(got) == sorted(calls)
        after = await tool.submit(SESSION, "after", tool_name="cat")
        assert await asyncio.wait_for(anext(stubs), 60) == after
