"""`coatcheck top` while NATS comes and goes."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import click
import pytest
from nats.errors import ConnectionClosedError

from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import InvalidInput
from coatcheck_workers.top import snapshot
from coatcheck_workers.top.snapshot import Snapshot, snapshots

SOON = 0.001


class Server:
    """Lets in, or not, and answers, or not, as the steps say: an error is raised, None is an answer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, logins: list[Any], answers: list[Any]) -> None:
        self._logins = logins
        self._answers = answers
        monkeypatch.setattr(snapshot, "take", self._take)

    @asynccontextmanager
    async def connect(self, settings: Settings, name: str) -> AsyncIterator[Any]:
        error = self._logins.pop(0)
        if error is not None:
            raise error
        yield None

    async def _take(self, client: Any, settings: Settings) -> Snapshot:
        error = self._answers.pop(0)
        if error is not None:
            raise error
        return Snapshot(at=datetime.now(UTC), seconds=0, workers=[], streams=[], consumers=[])


async def looks(server: Server, count: int) -> list[Snapshot | str]:
    found: list[Snapshot | str] = []
    async with aclosing(snapshots(Settings(), server.connect, SOON)) as each:
        async for one in each:
            found.append(one)
            if len(found) == count:
                return found
    return found


async def test_a_server_that_was_never_there_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(monkeypatch, [click.ClickException("no server")], [])
    with pytest.raises(click.ClickException, match="no server"):
        await looks(server, 1)


async def test_one_that_lets_in_and_does_not_answer_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(monkeypatch, [None], [ConnectionClosedError()])
    with pytest.raises(click.ClickException, match="NATS does not answer"):
        await looks(server, 1)


async def test_settings_that_name_no_server_are_told_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(monkeypatch, [InvalidInput("nats.url is not set")], [])
    with pytest.raises(InvalidInput, match=r"nats\.url"):
        await looks(server, 1)


async def test_a_break_is_told_and_looked_past(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(
        monkeypatch, [None, click.ClickException("still away"), None], [None, ConnectionClosedError(), None]
    )
    first, broken, away, again = await looks(server, 4)
    assert isinstance(first, Snapshot)
    assert isinstance(again, Snapshot)
    assert isinstance(broken, str)
    assert "does not answer" in broken
    assert away == "still away"
