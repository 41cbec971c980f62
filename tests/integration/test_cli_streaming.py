"""`exec` and `publish` of what is more than one message, as it lies in the streams: no worker takes it up."""

import asyncio
import io
import os
import pty
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from tests.support.commands import SECONDS, Command, configured, python
from tests.support.pieces import Sent, Streams, streams
from tests.support.servers import unprovisioned
from tests.support.wait import eventually

from coatcheck.cli.commands import publish
from coatcheck.cli.invocation import Invocation
from coatcheck.cli.options import ResultOptions
from coatcheck_schemas import pieces
from coatcheck_workers.embedded import NatsServer, S3Server

MIB = 1024 * 1024
HURRY = ("--timeout", "0.1")
"""No worker answers here."""


class Producer(NamedTuple):
    command: Command
    there: Streams

    async def sent(self) -> Sent:
        return await self.there.upload()


@pytest_asyncio.fixture
async def producer(nats_server: NatsServer, s3_server: S3Server, tmp_path: Path) -> AsyncIterator[Producer]:
    settings = unprovisioned(nats_server, s3_server)
    async with streams(nats_server, prefix=settings.nats.prefix) as there:
        yield Producer(Command(configured(settings, tmp_path), tmp_path), there)


async def test_exec_publishes_all_of_a_large_output_and_shows_its_end_where_no_stub_comes(producer: Producer) -> None:
    done = await producer.command.run("exec", *HURRY, *python("[print(n) for n in range(600000)]"))
    (await producer.sent()).check("".join(f"{n}\n" for n in range(600000)).encode())
    assert done.code == 1
    lines = done.text.splitlines()
    assert lines == [str(n) for n in range(600000 - len(lines), 600000)]
    assert done.err.startswith("error: unavailable: published as ")


async def test_exec_of_a_large_output_that_fails_ends_in_its_exit_code_and_says_so(producer: Producer) -> None:
    code = "print('x' * 2000000); raise SystemExit(5)"
    done = await producer.command.run("exec", *HURRY, *python(code))
    sent = await producer.sent()
    sent.check(b"x" * 2000000 + b"\nexit code: 5\n")
    assert sent.end[pieces.IS_ERROR] == "true"
    assert done.code == 5


async def test_exec_of_a_large_output_that_is_killed_is_not_whole(producer: Producer) -> None:
    done = await producer.command.run("exec", *HURRY, "--", "sh", "-c", "head -c 3000000 /dev/zero; kill -KILL $$")
    sent = await producer.sent()
    assert sent.data == bytes(3000000) + b"\nexit code: 137\n"
    assert sent.reason == "the command was ended by SIGKILL"
    assert done.code == 137


async def test_exec_that_is_interrupted_twice_kills_the_command_and_says_so(producer: Producer) -> None:
    script = "trap '' INT TERM; head -c 3000000 /dev/zero; echo ready >&2; sleep 300"
    process = await producer.command.start("exec", "--", "sh", "-c", script)
    await eventually(lambda: _stored(producer.there, 3000000), expecting="the pieces")
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    out, err = await asyncio.wait_for(process.communicate(), SECONDS)
    sent = await producer.sent()
    assert (process.returncode, out, err) == (130, b"", b"error: interrupted\n")
    assert (sent.reason, sent.data[:3000000]) == ("it was interrupted", bytes(3000000))


async def _stored(there: Streams, size: int) -> bool:
    uploads = await there.uploads()
    return sum(len(sent.data) for sent in uploads.values()) >= size


async def test_exec_lets_the_command_end_though_nothing_takes_its_output(producer: Producer, tmp_path: Path) -> None:
    await producer.there.jetstream.delete_stream(producer.there.chunks)
    done = await producer.command.run(
        "exec", "--", "sh", "-c", f"head -c 9000000 /dev/zero; echo the end; touch {tmp_path}/done; exit 3"
    )
    assert done.code == 3
    assert done.out.endswith(b"the end\n")
    assert "no stream takes" in done.err
    assert (tmp_path / "done").exists()
    chunks = producer.there.chunks
    await producer.there.jetstream.add_stream(name=chunks, subjects=[f"{producer.there.prefix}.chunks.>"])


async def test_publish_takes_a_large_file_and_a_large_pipe(producer: Producer, tmp_path: Path) -> None:
    data = os.urandom(5 * MIB + 1)
    path = tmp_path / "dump.bin"
    path.write_bytes(data)
    await producer.command.run("publish", *HURRY, str(path))
    (await producer.sent()).check(data)
    assert (await producer.there.events())[0]["tool_name"] == "dump.bin"
    await producer.there.jetstream.purge_stream(producer.there.chunks)
    await producer.command.run("publish", *HURRY, "-", stdin=data)
    (await producer.sent()).check(data)


class Breaking(io.BytesIO):
    """A file whose disk fails after its first part."""

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        if not data:
            raise OSError(5, "Input/output error")
        return data


async def test_publish_of_what_cannot_be_read_to_its_end_says_why(producer: Producer) -> None:
    invocation = Invocation()
    invocation.config_file = producer.command.config
    context: Any = SimpleNamespace(obj=invocation)
    options: ResultOptions = {
        "session": "s1",
        "turn": None,
        "turn_size": None,
        "call": None,
        "tool": None,
        "mime_type": None,
        "no_retrieval": False,
        "timeout": 1,
        "as_json": False,
    }
    with pytest.raises(OSError, match="Input/output error"):
        await publish._publish(context, "dump", Breaking(bytes(3 * MIB)), options)
    sent = await producer.sent()
    assert (sent.reason, sent.data) == ("OSError: [Errno 5] Input/output error", bytes(3 * MIB))


@pytest.mark.parametrize(
    ("number", "code", "reason"),
    [
        (signal.SIGINT, 130, "the producer was cancelled"),
        (signal.SIGTERM, 143, "Terminated: terminated"),
    ],
)
async def test_publish_of_a_pipe_that_gives_nothing_is_interrupted_at_once(
    producer: Producer, number: signal.Signals, code: int, reason: str
) -> None:
    process = await producer.command.start("publish", "-")
    assert process.stdin is not None
    process.stdin.write(bytes(3 * MIB))
    await eventually(lambda: _stored(producer.there, 3 * MIB), expecting="the pieces")
    process.send_signal(number)
    await asyncio.wait_for(process.wait(), 60)
    assert process.returncode == code
    assert (await producer.sent()).reason == reason
    process.stdin.close()


async def test_a_terminal_is_shown_how_far_a_large_result_has_got(producer: Producer, tmp_path: Path) -> None:
    path = tmp_path / "dump.bin"
    path.write_bytes(bytes(5 * MIB))
    master, slave = pty.openpty()
    producer.command.environment |= {"TERM": "xterm", "COLUMNS": "100"}
    argv = ("publish", "--config", str(producer.command.config), *HURRY, str(path))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "coatcheck", *argv),
        stdout=asyncio.subprocess.PIPE,
        stderr=slave,
        env=producer.command.environment,
    )
    os.close(slave)
    shown = await asyncio.to_thread(_read_all, master)
    await asyncio.wait_for(process.communicate(), SECONDS)
    assert b"dump.bin" in shown
    assert b"/5.2 MB" in shown


def _read_all(master: int) -> bytes:
    """What a terminal is sent until nobody writes to it any more."""
    shown = b""
    try:
        while data := os.read(master, 65536):
            shown += data
    except OSError:
        pass  # the other side is closed
    finally:
        os.close(master)
    return shown
