"""A session's files over real servers, answered by two workers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.support.workers import worker_here

import coatcheck
from coatcheck.client.client import Client
from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.filesystem import RESULTS_FOLDER
from coatcheck_workers.filesystem import results


@asynccontextmanager
async def client_of(settings: Settings) -> AsyncIterator[Client]:
    """A client, and two workers that answer it by turns."""
    nats = settings.nats
    async with (
        worker_here(settings),
        worker_here(settings),
        coatcheck.connect(nats.url, prefix=nats.prefix) as client,
    ):
        yield client


async def test_edits_of_one_file_at_once_on_two_workers_are_all_made(deployment: Settings) -> None:
    async with client_of(deployment) as client:
        files = client.fs("s/1")
        await files.write("log", "".join(f"<{n}>" for n in range(10)))

        async def edit(n: int) -> None:
            while True:
                try:
                    await files.edit("log", f"<{n}>", f"[{n}]")
                    return
                except RequestError as error:
                    if error.code is not Code.CONFLICT:
                        raise

        await asyncio.gather(*(edit(n) for n in range(10)))
        page = await files.read("log", limit=-1)
        assert page.content == "".join(f"[{n}]" for n in range(10))
        assert page.version == "11"


async def test_of_writes_of_one_version_at_once_on_two_workers_one_goes_through(deployment: Settings) -> None:
    async with client_of(deployment) as client:
        files = client.fs("s1")
        for version in ("0", "1"):
            writes = [files.write("a", f"{version} {n}", if_version=version) for n in range(5)]
            outcomes = await asyncio.gather(*writes, return_exceptions=True)
            assert [getattr(one, "code", None) for one in outcomes].count(Code.CONFLICT) == 4
            (won,) = [n for n, one in enumerate(outcomes) if not isinstance(one, BaseException)]
            assert (await files.read("a")).content == f"{version} {won}"


async def test_what_no_message_carries_is_refused_before_it_is_sent(deployment: Settings) -> None:
    async with client_of(deployment) as client:
        files = client.fs("s1")
        await files.write("a", "")
        with pytest.raises(RequestError, match="split the text over several files") as caught:
            await files.write("a", "x" * 100_000_000, if_version="1")
        assert caught.value.code is Code.TOO_LARGE
        assert str(client.max_payload) in caught.value.message
        page = await files.read("a")
        assert (page.content, page.total_bytes, page.version) == ("", 0, "1")


async def test_a_result_is_a_file_beside_the_agent_s_own(deployment: Settings) -> None:
    async with client_of(deployment) as client:
        text = "".join(f"line {n}\n" for n in range(20_000))
        stub = await client.submit("s1", text, tool_name="run", call="run/1")
        files = client.fs("s1")
        await files.write("notes/a b.txt", "line 19999 is the last\n")
        assert [entry.path async for entry in files.entries()] == [RESULTS_FOLDER, "/notes"]
        path = f"{RESULTS_FOLDER}/run%2F1"
        assert {entry.path async for entry in files.entries(RESULTS_FOLDER)} == {
            path,
            f"{RESULTS_FOLDER}/{stub.result_id}",
        }
        page = await files.read(path, offset=-1, numbered=True)
        assert page.content == " 20000\tline 19999\n"
        found = await files.grep("line 19999")
        assert [(one.path, one.line) for one in found.matches or []] == [
            ("/notes/a b.txt", 1),
            (f"{RESULTS_FOLDER}/{stub.result_id}", 20_000),
        ]
        assert [entry.path async for entry in files.entries(pattern="**/*.txt")] == ["/notes/a b.txt"]
        assert "".join([page.content async for page in files.pages(path)]) == text
        with pytest.raises(RequestError, match="read-only"):
            await files.write(path, "")


async def test_a_session_that_is_deleted_has_its_files_deleted_and_may_have_new_ones(deployment: Settings) -> None:
    async with client_of(deployment) as client:
        files = client.fs("s1")
        await files.write("a/b", "old")
        await client.fs("s2").write("a/b", "theirs")
        await client.delete_session("s1")
        with pytest.raises(RequestError) as caught:
            await files.read("a/b")
        assert caught.value.code is Code.NOT_FOUND
        assert [entry.path async for entry in files.entries()] == [RESULTS_FOLDER]
        await files.write("a/b", "new", if_version="0")
        assert (await files.read("a/b")).content == "new"
        assert (await client.fs("s2").read("a/b")).content == "theirs"


async def test_whoever_has_a_stub_reads_its_result_by_the_call_whichever_worker_answers(
    deployment: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with client_of(deployment) as client:
        files = client.fs("s1")
        refs: set[str | None] = set()
        for n in range(6):
            monkeypatch.setattr(results, "MANY_ENTRIES", 10 if n < 3 else 1)  # from then on S3 tells by the keys
            stub = await client.submit("s1", f"{n} " * 20_000, tool_name="run", call="again")
            await client.submit("s1", f"{n} " * 20_000, tool_name="run", call=f"once-{n}")
            refs.add(stub.ref)
            for _ in range(4):
                for path, ref in (("again", stub.ref), ("once-0", None)):
                    page = await files.read(f"{RESULTS_FOLDER}/{path}", unit="chars", limit=10)
                    assert page.content.startswith(f"{n} " if ref else "0 ")
                    assert ref is None or page.ref == ref
        assert len(refs) == 6
        await client.delete(stub.ref or "")
        for _ in range(4):
            assert (await files.read(f"{RESULTS_FOLDER}/again", unit="chars", limit=2)).content == "4 "
