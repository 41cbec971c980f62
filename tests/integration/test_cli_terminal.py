"""The `coatcheck` command on a terminal, and where a locale or a server is odd."""

import asyncio
import os
import pty
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest_asyncio
from tests.support.commands import SECONDS, Command, configured
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings

HOSTILE = "a\x1b[2Jb"
SHOWN = b"a\\u001b[2Jb"


@pytest_asyncio.fixture
async def command(deployment: Settings, tmp_path: Path) -> AsyncIterator[Command]:
    async with worker_here(deployment):
        yield Command(configured(deployment, tmp_path), tmp_path)


async def test_a_terminal_is_shown_a_result_safely_and_a_pipe_gets_it_exactly(command: Command) -> None:
    assert await command.shown("publish", "-", stdin=HOSTILE) == SHOWN + b"\n"
    assert await command.shown("exec", "--", "printf", "%s", HOSTILE) == SHOWN + b"\n"
    assert await command.run("publish", "-", stdin=HOSTILE) == (0, HOSTILE.encode(), "")


async def test_nothing_is_shown_of_an_empty_result(command: Command) -> None:
    assert await command.run("exec", "--", "true") == (0, b"", "")
    assert await command.shown("exec", "--", "true") == b""


async def test_watch_tells_a_terminal_what_an_event_is_of_and_ends_quietly(command: Command) -> None:
    await command.here("publish", "-", "--tool", "ls", "--call", "c1", "--turn", "t1", stdin=HOSTILE)
    master, slave = pty.openpty()
    process = await command.start("watch", "--from-start", stdout=slave)
    os.close(slave)
    try:
        shown = b""
        while not shown.endswith(SHOWN + b"\r\n\r\n"):
            shown += await asyncio.wait_for(asyncio.to_thread(os.read, master, 4096), SECONDS)
        process.send_signal(signal.SIGINT)
        _, err = await asyncio.wait_for(process.communicate(), SECONDS)
    finally:
        os.close(master)
    assert b"ls (call c1, turn t1, inline)" in shown
    assert (process.returncode, err) == (0, b"watching session 'default'; Ctrl-C ends it\n")


async def test_an_ascii_locale_is_no_traceback(command: Command) -> None:
    await command.here("publish", "-", "--tool", "l\u00e4s", stdin="\u00fcber \u641c\n" * 5000)
    command.environment["PYTHONIOENCODING"] = "ascii"
    for argv in (("list",), ("search", "ber", "--limit", "1")):
        code, out, err = await command.run(*argv)
        assert (code, "Traceback" in err, out != b"") == (0, False, True)


async def test_read_goes_on_with_its_numbers_and_names_the_session_that_was_asked(command: Command) -> None:
    _, out, _ = await command.here("publish", "-", "--json", stdin="a line of some length\n" * 2000)
    ref = msgspec.json.decode(out)["ref"]
    code, out, err = await command.here("read", ref, "--numbered", "--limit", "1")
    assert (code, out.split()[0], out.count(b"\n")) == (0, b"1", 1)
    assert "go on with --offset 1 --unit lines --numbered --limit 1, or" in err
    code, _, err = await command.here("read", ref, "--session", "other")
    assert (code, "session 'other' was asked" in err) == (1, True)


async def test_a_filter_takes_the_kind_that_list_shows_and_says_that_none_match(command: Command) -> None:
    await command.here("publish", "-", "--tool", "cat", stdin="def f(x):\n    return x + 1\n\n\n" * 2000)
    _, out, _ = await command.here("list", "--kind", "code")
    assert b"code/python" in out
    assert await command.here("list", "--kind", "csv") == (
        0,
        b"",
        "none of the results stored for session 'default' match\n",
    )


async def test_a_server_that_is_no_nats_server_is_told_in_words(tmp_path: Path) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    config = tmp_path / "empty.yaml"
    config.write_text("")
    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        url = f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        code, _, err = await Command(config, tmp_path).here("list", "--set", f"nats.url={url}")
    assert code == 1
    assert err == (
        f"error: unavailable: cannot connect to NATS at {url}: what is there does not answer as a NATS server does; "
        "`coatcheck doctor` finds out why\n"
    )
