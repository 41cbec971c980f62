"""The commands that read, search and delete, against a real worker; and the client's iterators."""

import asyncio
import json
from pathlib import Path

import pytest_asyncio
from tests.support.commands import Command, configured

import coatcheck
from coatcheck_core.settings import Settings

LINES = "".join(f"第 {number} 行 of the log 😀\n" for number in range(20_000))
TEXT = f"{LINES}{'長' * 300_000}\nthe last line"
"""More than one message of pages, with a line that is longer than a page."""
SHORT = "a line of some length\n" * 1000


@pytest_asyncio.fixture
async def command(client: coatcheck.Client, deployment: Settings, tmp_path: Path) -> Command:
    return Command(configured(deployment, tmp_path), tmp_path)


async def stored(client: coatcheck.Client, text: str) -> str:
    """The reference of a text that is offloaded in the command's session."""
    return str((await client.submit("default", text, tool_name="log")).ref)


async def test_follow_pages_gives_a_large_original_exactly(client: coatcheck.Client, command: Command) -> None:
    ref = await stored(client, TEXT)
    for unit in ("chars", "bytes"):
        done = await command.here("read", ref, "--follow-pages", "--unit", unit)
        assert (done.code, done.out == TEXT.encode(), done.err) == (0, True, "")
    numbered = (await command.here("read", ref, "--follow-pages", "--numbered", "--offset", "-3")).text
    assert [line[:12] for line in numbered.splitlines()] == [" 20000\t第 199", " 20001\t長長長長長", " 20002\tthe l"]


async def test_iterators_go_through_pages_and_matches_of_a_whole_reference(client: coatcheck.Client) -> None:
    ref = await stored(client, TEXT)
    pages = [page async for page in client.pages(ref, unit="lines", limit=8000)]
    assert "".join(page.content for page in pages) == TEXT
    found = [match async for match in client.matches(ref, r"第 1999\d 行", regex=True, limit=3)]
    assert [match.line for match in found] == list(range(19_990, 20_000))
    assert [one.ref async for one in client.results("default", limit=1)] == [ref]


async def test_search_marks_what_it_finds_on_a_terminal_and_exits_with_1_for_nothing(
    client: coatcheck.Client, command: Command
) -> None:
    ref = await stored(client, f"{SHORT}Straße\nSTRASSE 12\n{SHORT}")
    query = ("search", "strasse", "-i", "--ref", ref, "--context", "10")
    shown = (await command.shown(*query)).decode()
    assert ("\x1b[1;31mStraße\x1b[0m" in shown, "\x1b[1;31mSTRASSE\x1b[0m" in shown) == (True, True)
    piped = await command.here(*query)
    assert "  1001:Straße\n  1002:STRASSE 12\n" in piped.text
    assert (piped.err, piped.text.count("coat://")) == ("2 matches\n", 1)
    nothing = await command.here("search", "no such thing", "--ref", ref)
    assert (nothing.code, nothing.out, nothing.err) == (1, b"", "no match\n")


async def test_what_is_deleted_is_gone_with_its_time(client: coatcheck.Client, command: Command) -> None:
    refs = [await stored(client, f"{SHORT}{number}") for number in range(3)]
    assert (await command.here("delete", refs[0], "--yes")).err == "deleted 1 result\n"
    gone = await command.here("read", refs[0])
    assert (gone.code, gone.err.startswith(f"error: gone: {refs[0]} was deleted at 20")) == (1, True)
    assert {one.ref async for one in client.results("default")} == set(refs[1:])
    every = await command.here("delete", "--all", "--yes", "--json")
    assert (every.code, json.loads(every.out)) == (0, {"deleted": 2})
    assert [one.ref async for one in client.results("default")] == []


async def test_a_follower_hears_of_a_result_again_that_came_again_after_it_was_deleted(
    client: coatcheck.Client,
) -> None:
    async with client.stubs("default") as stubs:
        events = []
        for _ in range(2):
            sent = await client.submit("default", SHORT, tool_name="log", call="call_1")
            events.append(await asyncio.wait_for(anext(stubs), 60))
            assert events[-1] == sent
            assert (await client.read(str(sent.ref), limit=-1)).content == SHORT
            assert (await client.delete(str(sent.ref))).deleted == 1
    first, second = events
    assert (first.ref, first.content) == (second.ref, second.content)
    assert first.created_at < second.created_at
