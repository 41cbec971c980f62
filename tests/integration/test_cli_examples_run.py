"""The examples in the commands' help, each run against one deployment; what needs a terminal is only parsed (unit)."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import nats
import pytest
from click.testing import CliRunner
from tests.support.cli_examples import Example, commands, examples_of, taken_apart
from tests.support.commands import SECONDS, Command, Outcome, configured
from tests.support.servers import laid_by_provision
from tests.support.workers import worker_here

import coatcheck
from coatcheck.cli import main
from coatcheck_core.credentials.nkeys import SEED_BYTES, KeyPair
from coatcheck_core.settings import Settings
from coatcheck_workers.embedded import NatsServer, S3Server

RUNS_ON = {"up", "worker", "watch"}
"""They end by a signal."""
OWN_PROCESS = {"exec", "publish"}
"""They hear signals, which only a process of its own can."""
LAST = ("list", "dlq", "delete")
"""In this order, at the end: `list` finds what others have published, `delete` takes dead letters too."""
REF = "coat://s1/..."
LETTERS = 8
WORDS = {words for words, _ in commands()}
TEXT = "".join(
    f"{'ERROR' if n % 100 == 0 else 'INFO'} {n}: connection refused in main, todo draft\n" for n in range(600)
)
FILES = {"report.json": '{"a": [1, 2]}', "big.log": TEXT, "messages.json": "[]", "notes.md": "a draft\n"}


def runnable() -> list[Example]:
    """Those that end by themselves, what deletes after what reads."""
    found = [taken_apart(line) for _, command in commands() for line in examples_of(command)]
    return sorted(filter(_ends, found), key=lambda one: LAST.index(one.command) if one.command in LAST else -1)


def _ends(example: Example) -> bool:
    argv = example.argv
    if example.command in RUNS_ON or (example.command == "delete" and "--yes" not in argv):
        return False
    return example.command != "top" or "--once" in argv


async def seeded(settings: Settings) -> str:
    """A reference of session s1, once there is for every example what it asks for."""
    async with coatcheck.connect(settings.nats.url, prefix=settings.nats.prefix) as client:
        event = await client.submit("s1", TEXT, tool_name="cat", call="call_1", turn="t1")
        await client.submit("default", TEXT, tool_name="cat", call="call_1", turn="t1")
        files = client.fs("default")
        for path in ("notes.md", "notes/a.md", "src/a.py"):
            await files.write(path, "todo: a draft\n")
        assert event.ref is not None
    connection = await nats.connect(settings.nats.url, connect_timeout=30)
    for _ in range(LETTERS):
        headers = {"Coat-Reason": "invalid_json", "Coat-Subject": f"{settings.nats.prefix}.results.s1.t.c"}
        await connection.jetstream().publish(f"{settings.nats.prefix}.dlq.s1.t.c", b"{", headers=headers)
    await connection.close()
    return event.ref


def values_of(text: str) -> list[Any]:
    """The JSON values that follow each other, as `jq` reads them."""
    values = []
    while text := text.lstrip():
        value, end = json.JSONDecoder().raw_decode(text)
        values.append(value)
        text = text[end:]
    return values


class Examples:
    """A folder with the files that examples name, and what runs one there."""

    def __init__(self, settings: Settings, folder: Path, ref: str) -> None:
        for name, text in FILES.items():
            (folder / name).write_text(text)
        self._config = configured(settings, folder)
        (folder / "agents.nk").write_text(KeyPair("account", secrets.token_bytes(SEED_BYTES)).seed)
        (folder / "agents.nk").chmod(0o600)
        (folder / "production.yaml").write_text(self._config.read_text())
        self._command = Command(self._config, folder)
        self._ref = ref

    async def run(self, example: Example) -> Outcome:
        argv = [self._ref if word == REF else word for word in example.argv]
        stdin = await _fed(example)
        if example.command in OWN_PROCESS:
            return await self._command.run(*argv, stdin=stdin)
        words = 2 if tuple(argv[:2]) in WORDS else 1
        called = [*argv[:words], "--config", str(self._config), *argv[words:]]
        done = await asyncio.to_thread(CliRunner().invoke, main, called, input=stdin)
        return Outcome(done.exit_code, done.stdout_bytes, done.stderr)


async def _fed(example: Example) -> bytes:
    """What comes into it: of the commands before, run by a shell, or of a file."""
    if example.stdin_file:
        return FILES[example.stdin_file].encode()
    if not example.before:
        return b""
    shell = await asyncio.create_subprocess_shell(example.before, stdout=asyncio.subprocess.PIPE)
    out, _ = await asyncio.wait_for(shell.communicate(), SECONDS)
    return out


@pytest.fixture
async def examples(
    nats_server: NatsServer, s3_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Examples]:
    monkeypatch.chdir(tmp_path)
    for name in ("COATCHECK_SESSION", "COATCHECK_NATS__URL"):
        monkeypatch.delenv(name, raising=False)
    async with (
        laid_by_provision(nats_server, s3_server, turn={"deadline_seconds": 0.5}) as settings,
        worker_here(settings),
    ):
        yield Examples(settings, tmp_path, await seeded(settings))


async def test_every_example_that_ends_by_itself_does_what_it_shows(examples: Examples) -> None:
    failed = {}
    for example in runnable():
        done = await examples.run(example)
        if done.code != 0 or "Traceback" in done.err:
            failed[example.line] = (done.code, done.text, done.err)
        elif "--json" in example.argv:
            assert values_of(done.text), example.line
    assert failed == {}, "".join(f"{line}: {what}\n" for line, what in failed.items())
