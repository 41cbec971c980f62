"""Field case 9: a reference works for as long as was promised, whoever restarts, and then says that it has expired."""

from datetime import datetime, timedelta

import msgspec
import pytest
from tests.support.agents import agent
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_schemas.times import format_time
from coatcheck_workers.clock import utc_now
from coatcheck_workers.streams.server_time import ServerTime

TEXT = "line of a text\n" * 3000
DAYS = 30


def pass_time(monkeypatch: pytest.MonkeyPatch, passed: timedelta) -> None:
    monkeypatch.setattr(ServerTime, "__call__", lambda _: utc_now() + passed)


def after(moment: str) -> str:
    return format_time(datetime.fromisoformat(moment) + timedelta(days=DAYS))


async def test_a_reference_outlives_its_workers_and_expires_with_its_time(
    deployment: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = msgspec.structs.replace(deployment.storage, retention_days=DAYS)
    settings = msgspec.structs.replace(deployment, storage=storage)
    async with agent(settings) as one:
        async with worker_here(settings), worker_here(settings):
            first, second = await one.offload("c", TEXT), await one.offload("d", TEXT)
        async with worker_here(settings), worker_here(settings):
            assert await one.read_all(str(first.ref)) == TEXT
            # Another turn brings the same again.
            again = await one.offload("d", TEXT, turn="t", turn_size=1)
            assert again.ref == second.ref
            pass_time(monkeypatch, timedelta(days=DAYS) - timedelta(minutes=1))
            assert await one.read_all(str(first.ref)) == TEXT
            pass_time(monkeypatch, timedelta(days=DAYS, minutes=1))
            for verb in ("read", "link"):
                error = (await one.request(verb, {"ref": first.ref}))["error"]
                assert error["code"] == "gone"
                assert error["details"]["expired_at"] == after(first.created_at)
            assert (await one.request("list"))["ok"]["tool_results"] == []
            used = (await one.request("read", {"ref": second.ref}))["error"]["details"]["expired_at"]
            assert used == after(again.created_at) > after(second.created_at)
