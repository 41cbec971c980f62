"""A command's output, handed on as it comes, and what is kept of it."""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.wait import eventually

from coatcheck.cli import capture
from coatcheck.cli.capture import Output, exit_code, run_command, signal_name
from coatcheck.cli.terminal import safe_text


@settings(max_examples=100, deadline=None)
@given(chunks=st.lists(st.binary(max_size=40), max_size=30), tail=st.integers(1, 50))
def test_of_an_output_its_end_is_kept(chunks: list[bytes], tail: int) -> None:
    output = Output(tail_bytes=tail)
    everything = b"".join(chunks)
    for chunk in chunks:
        output.add(chunk)
        assert len(output._kept) <= 2 * tail + len(chunk)
    assert output.total == len(everything)
    assert everything.endswith(output.tail)
    assert len(output.tail) <= tail


def test_a_tail_begins_at_a_line() -> None:
    output = Output(tail_bytes=20)
    output.add(b"0123456789\n" * 10)
    assert output.tail == b"0123456789\n"


def test_a_tail_begins_with_a_whole_character() -> None:
    output = Output(tail_bytes=21)
    output.add("搜".encode() * 100 + b"x")
    assert output.tail.decode() == "搜" * 6 + "x"


def exit_line(data: bytes, code: int) -> bytes:
    output = Output()
    for start in range(len(data)):
        output.add(data[start : start + 1])
    return output.exit_line(code)


def test_a_failing_commands_output_ends_in_its_exit_code() -> None:
    assert exit_line(b"a", 0) == b""
    assert exit_line(b"a", 2) == b"\nexit code: 2\n"
    assert exit_line("ü\n".encode(), 2) == b"exit code: 2\n"
    assert exit_line(b"", 2) == b"exit code: 2\n"


@pytest.mark.parametrize("data", [b"\xff", b"text, then \xc3", "ü".encode()[:1]])
def test_what_is_no_text_gets_no_line(data: bytes) -> None:
    assert exit_line(data, 2) == b""


def test_return_codes_are_told_as_a_shell_does() -> None:
    assert (exit_code(3), exit_code(-9)) == (3, 137)
    assert (signal_name(9), signal_name(63)) == ("SIGKILL", "signal 63")


async def test_a_command_waits_to_print_while_nobody_takes_its_output() -> None:
    taken = 0
    may_go_on = asyncio.Event()

    async def receive(data: bytes) -> None:
        nonlocal taken
        taken += len(data)
        await may_go_on.wait()

    running = asyncio.create_task(run_command([sys.executable, "-c", "print('x' * 50_000_000)"], receive))
    await eventually(lambda: taken > 0)
    assert not running.done()
    assert taken <= capture.CHUNK
    may_go_on.set()
    assert (await running, taken) == (0, 50_000_001)


def _collecting(received: list[bytes]) -> Callable[[bytes], Awaitable[None]]:
    async def receive(data: bytes) -> None:
        received.append(data)

    return receive


async def test_a_second_interruption_kills_the_command() -> None:
    received: list[bytes] = []
    script = "trap '' INT TERM; echo ready; while true; do sleep 0.05; done"
    running = asyncio.create_task(run_command(["sh", "-c", script], _collecting(received)))
    await eventually(lambda: received)
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.sleep(0)
    assert not running.done()
    os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(click.Abort):
        await asyncio.wait_for(running, 60)


async def test_a_second_interruption_ends_it_though_nobody_takes_its_output() -> None:
    is_stuck = asyncio.Event()

    async def receive(_: bytes) -> None:
        is_stuck.set()
        await asyncio.Event().wait()

    running = asyncio.create_task(run_command(["yes"], receive))
    await is_stuck.wait()
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0)
    with pytest.raises(click.Abort):
        await asyncio.wait_for(running, 60)


async def test_error_output_comes_in_its_place() -> None:
    received: list[bytes] = []
    await run_command(["sh", "-c", "echo 1; echo 2 >&2; echo 3"], _collecting(received))
    assert b"".join(received) == b"1\n2\n3\n"


async def test_a_command_left_behind_that_keeps_printing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "LINGER_LIMIT_SECONDS", 0.2)
    received: list[bytes] = []
    running = run_command(["sh", "-c", "yes & echo $!"], _collecting(received))
    assert await asyncio.wait_for(running, 60) == 0


def test_what_a_terminal_would_obey_is_escaped() -> None:
    assert safe_text("a\x1b[2J\tb\n\u202ec\r") == "a\\u001b[2J\tb\n\\u202ec\\r"
