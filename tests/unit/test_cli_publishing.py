"""What `coatcheck publish` and `coatcheck exec` say of a result beside its content."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Unpack

import msgspec
import pytest
from click.testing import CliRunner

from coatcheck.cli import main, work
from coatcheck.client.encoding import ResultFields, describe
from coatcheck_schemas.events import StubEvent

EVENT = msgspec.json.decode(
    (Path(__file__).resolve().parents[2] / "schemas" / "golden" / "stub.inline.json").read_bytes(), type=StubEvent
)


class Stream:
    """A stream that takes whatever is written."""

    is_open = False
    written = 0
    is_error = False

    async def write(self, data: bytes | str) -> None:
        self.written += len(data)

    async def submit_or_publish(self, timeout: float) -> StubEvent:  # noqa: ASYNC109
        return EVENT


class Client:
    """Keeps the event that each result would be published with."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    @asynccontextmanager
    async def stream(self, session: str, *, tool_name: str, **fields: Unpack[ResultFields]) -> AsyncIterator[Stream]:
        self.events.append(describe(session, tool_name, fields).event)
        yield Stream()

    async def upload(
        self,
        session: str,
        file: object,
        *,
        tool_name: str,
        timeout: float,  # noqa: ASYNC109
        progress: object,
        **fields: Unpack[ResultFields],
    ) -> StubEvent:
        self.events.append(describe(session, tool_name, fields).event)
        return EVENT


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    known = Client()

    @asynccontextmanager
    async def connected(invocation: object) -> AsyncIterator[Client]:
        yield known

    monkeypatch.setattr(work, "connected", connected)
    return known


COMMANDS = [["publish"], ["publish", "--upload"], ["exec"]]


def event_of(client: Client, command: list[str], *options: str, source: Path) -> dict[str, Any]:
    """The event that a command publishes with these options."""
    what = ["--", sys.executable, "-c", "print(1)"] if command == ["exec"] else [str(source)]
    done = CliRunner().invoke(main, [*command, *options, *what])
    assert done.exit_code == 0, done.output
    (event,) = client.events
    return event


@pytest.mark.parametrize("command", COMMANDS)
def test_an_agent_without_retrieval_tools_is_told_of(client: Client, command: list[str], tmp_path: Path) -> None:
    source = tmp_path / "result.txt"
    source.write_text("1\n")
    assert event_of(client, command, "--no-retrieval", source=source)["retrieval"] is False


@pytest.mark.parametrize("command", COMMANDS)
def test_what_no_option_speaks_of_is_left_to_the_settings(client: Client, command: list[str], tmp_path: Path) -> None:
    source = tmp_path / "result.txt"
    source.write_text("1\n")
    assert event_of(client, command, source=source).get("retrieval") is None


@pytest.mark.parametrize("command", COMMANDS)
def test_a_result_bears_what_the_options_say(client: Client, command: list[str], tmp_path: Path) -> None:
    source = tmp_path / "result.txt"
    source.write_text("1\n")
    options = ("--turn", "t", "--turn-size", "2", "--call", "c", "--tool", "grep", "--mime-type", "text/x-log")
    event = event_of(client, command, *options, source=source)
    said = {"turn_id": "t", "turn_size": 2, "call_id": "c", "tool_name": "grep", "mime_type": "text/x-log"}
    assert said.items() <= event.items()
