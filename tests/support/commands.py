"""The `coatcheck` command with a configuration file of its own: as a process into a pipe or on a terminal, or here."""

import asyncio
import os
import pty
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec
import yaml
from click.testing import CliRunner

from coatcheck.cli import main
from coatcheck_core.settings import Settings
from coatcheck_schemas.events import StubEvent

SECONDS = 90


class Outcome(NamedTuple):
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def event(self) -> StubEvent:
        return msgspec.json.decode(self.out, type=StubEvent)


class Command:
    """`coatcheck` with the deployment's configuration file; nothing else of the environment reaches it."""

    def __init__(self, config: Path, home: Path) -> None:
        self.config = config
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("COATCHECK_")}
        self.environment |= {"XDG_DATA_HOME": str(home), "HOME": str(home), "COLUMNS": "40", "TERM": "xterm"}

    async def start(self, *argv: str, stdout: int = asyncio.subprocess.PIPE) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "coatcheck", argv[0], "--config", str(self.config), *argv[1:]),
            stdin=asyncio.subprocess.PIPE,
            stdout=stdout,
            stderr=asyncio.subprocess.PIPE,
            env=self.environment,
        )

    async def run(self, *argv: str, stdin: bytes | str = b"", **environment: str) -> Outcome:
        self.environment |= environment
        process = await self.start(*argv)
        out, err = await asyncio.wait_for(process.communicate(_encoded(stdin)), SECONDS)
        assert process.returncode is not None
        return Outcome(process.returncode, out, err.decode())

    async def here(self, *argv: str, stdin: bytes | str = b"", **environment: str) -> Outcome:
        """As `run`, in a thread of this process: a twentieth of the CPU, for what is about the command alone."""
        self.environment |= environment
        withheld: dict[str, str | None] = {key: None for key in os.environ if key.startswith("COATCHECK_")}
        called = [argv[0], "--config", str(self.config), *argv[1:]]
        runner = CliRunner(env={**withheld, **self.environment})
        invoked = asyncio.to_thread(runner.invoke, main, called, input=_encoded(stdin), prog_name="coatcheck")
        done = await asyncio.wait_for(invoked, SECONDS)
        return Outcome(done.exit_code, done.stdout_bytes, done.stderr)

    async def shown(self, *argv: str, stdin: bytes | str = b"") -> bytes:
        """What a terminal gets of it; little enough that its buffer holds it all."""
        master, slave = pty.openpty()
        try:
            process = await self.start(*argv, stdout=slave)
            _, err = await asyncio.wait_for(process.communicate(_encoded(stdin)), SECONDS)
            assert process.returncode == 0, err
            os.set_blocking(master, False)
            try:
                return os.read(master, 65536).replace(b"\r\n", b"\n")
            except BlockingIOError:
                return b""
        finally:
            os.close(slave)
            os.close(master)


def _encoded(text: bytes | str) -> bytes:
    return text.encode() if isinstance(text, str) else text


def configured(settings: Settings, folder: Path) -> Path:
    config = folder / "coatcheck.yaml"
    config.write_text(yaml.safe_dump(msgspec.to_builtins(settings)))
    return config


def python(code: str) -> tuple[str, ...]:
    return ("--", sys.executable, "-c", code)
