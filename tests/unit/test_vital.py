"""Tasks that go round for ever end when they are told to."""

import asyncio

from coatcheck_workers.process.vital import ended


async def test_task_whose_first_cancellation_is_swallowed_ends_all_the_same() -> None:
    """As by `asyncio.wait_for`, where it comes together with the answer."""
    rounds = 0

    async def go_round() -> None:
        nonlocal rounds
        while True:
            rounds += 1
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                if rounds == 3:
                    raise

    tasks = [asyncio.create_task(go_round()), asyncio.create_task(asyncio.sleep(3600))]
    await asyncio.sleep(0)
    await asyncio.wait_for(ended(tasks), 60)
    assert rounds == 3
    assert all(task.cancelled() for task in tasks)


async def test_nothing_is_waited_for_where_there_is_no_task() -> None:
    await asyncio.wait_for(ended([]), 60)
