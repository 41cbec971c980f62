"""A command's output, collected within bounds."""

import asyncio
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coatcheck.cli import capture
from coatcheck.cli.capture import Output, run_command, with_exit_code
from coatcheck.cli.terminal import safe_text


@settings(max_examples=100, deadline=None)
@given(chunks=st.lists(st.binary(max_size=40), max_size=30), limit=st.integers(0, 200), tail=st.integers(1, 50))
def test_output_is_whole_up_to_the_limit_and_its_end_beyond(chunks: list[bytes], limit: int, tail: int) -> None:
    output = Output(limit, tail_bytes=tail)
    everything = b"".join(chunks)
    for chunk in chunks:
        output.add(chunk)
        assert len(output._kept) <= max(limit, 2 * tail) + len(chunk)
    assert output.total == len(everything)
    assert output.whole == (everything if len(everything) <= limit else None)
    assert everything.endswith(output.tail)
    assert len(output.tail) <= tail or len(everything) <= tail


def test_a_tail_begins_at_a_line() -> None:
    output = Output(0, tail_bytes=20)
    output.add(b"0123456789\n" * 10)
    assert output.tail == b"0123456789\n"


def test_a_tail_begins_with_a_whole_character() -> None:
    output = Output(0, tail_bytes=21)
    output.add("搜".encode() * 100 + b"x")
    assert output.tail.decode() == "搜" * 6 + "x"


def test_a_failing_commands_output_ends_in_its_exit_code() -> None:
    assert with_exit_code(b"a", 0) == b"a"
    assert with_exit_code(b"a", 2) == b"a\nexit code: 2\n"
    assert with_exit_code(b"a\n", 2) == b"a\nexit code: 2\n"
    assert with_exit_code(b"", 2) == b"exit code: 2\n"
    assert with_exit_code(b"\xff", 2) == b"\xff"


async def test_a_command_that_prints_much_costs_little_memory() -> None:
    output = Output(100_000)
    biggest = 0

    def receive(data: bytes) -> None:
        nonlocal biggest
        output.add(data)
        biggest = max(biggest, len(output._kept))

    code = await run_command([sys.executable, "-c", "for _ in range(500): print('x' * 100_000)"], receive)
    assert (code, output.total) == (0, 500 * 100_001)
    assert biggest < 400_000


async def test_error_output_comes_in_its_place() -> None:
    received: list[bytes] = []
    await run_command(["sh", "-c", "echo 1; echo 2 >&2; echo 3"], received.append)
    assert b"".join(received) == b"1\n2\n3\n"


async def test_a_command_left_behind_that_keeps_printing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "LINGER_LIMIT_SECONDS", 0.2)
    received: list[bytes] = []
    running = run_command(["sh", "-c", "yes & echo $!"], received.append)
    assert await asyncio.wait_for(running, 20) == 0


def test_what_a_terminal_would_obey_is_escaped() -> None:
    assert safe_text("a\x1b[2J\tb\n\u202ec\r") == "a\\u001b[2J\tb\n\\u202ec\\r"
