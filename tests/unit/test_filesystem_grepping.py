"""`fs grep` over a session's files and results."""

import asyncio
import itertools
from typing import Any

import pytest
from tests.support.filing import Cabinet
from tests.support.originals import Large

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.refs import parse_ref
from coatcheck_workers.retrieval.places import Places

FOLDER = "/large_tool_result"


async def grep_all(cabinet: Cabinet, kind: str, **fields: Any) -> list[Any]:
    """What a grep gives, page after page."""
    found: list[Any] = []
    cursor = None
    for _ in range(1000):
        reply = await cabinet.fs_ok("grep", **fields, cursor=cursor)
        assert set(reply) - {"ref", "passed", "passed_count"} == {kind, "has_more", "cursor"}
        found += reply[kind]
        cursor = reply["cursor"]
        assert reply["has_more"] is (cursor is not None)
        if cursor is None:
            return found
    raise AssertionError("the pages do not end")


def shown(matches: list[dict[str, Any]]) -> list[str]:
    """As grep prints them."""
    marks = [("-" if match.get("is_context") else ":") for match in matches]
    return [f"{m['path']}{c}{m['line']}{c}{m['text']}" for m, c in zip(matches, marks, strict=True)]


async def filled() -> Cabinet:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", path="src/a.py", content="import os\nx = 1\nimport re\n")
    await cabinet.fs_ok("write", path="b.txt", content="nothing\nImport it, import it")
    return cabinet


async def test_matching_lines_come_once_with_their_numbers_from_1() -> None:
    matches = await grep_all(await filled(), "matches", pattern="import")
    assert shown(matches) == ["/b.txt:2:Import it, import it", "/src/a.py:1:import os", "/src/a.py:3:import re"]


async def test_case_is_ignored_where_that_is_asked() -> None:
    matches = await grep_all(await filled(), "matches", pattern="^import", ignore_case=True, path="b.txt")
    assert shown(matches) == ["/b.txt:2:Import it, import it"]


async def test_lines_around_are_marked_and_none_comes_twice() -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", path="a", content="1\n2\nx\n4\nx\n6\n\n8\n")
    matches = await grep_all(cabinet, "matches", pattern="x", before=1, after=2)
    assert shown(matches) == ["/a-2-2", "/a:3:x", "/a-4-4", "/a:5:x", "/a-6-6", "/a-7-"]


@pytest.mark.parametrize("limit", [1, 2, 3])
async def test_lines_around_come_once_over_pages_too(limit: int) -> None:
    cabinet = Cabinet(max_reply_bytes=4000)
    text = "".join(f"{'x' if n % 3 == 0 else n}\n" for n in range(20))
    await cabinet.fs_ok("write", path="a", content=text)
    await cabinet.keep(text)
    for path, around in itertools.product(("a", f"{FOLDER}/call_1", ""), (1, 4)):
        whole = await grep_all(cabinet, "matches", pattern="x", before=around, after=around, path=path)
        assert [one["line"] for one in whole] == [*range(1, 21)] * (2 if path == "" else 1)
        assert [one["line"] for one in whole if not one.get("is_context")][:7] == [*range(1, 20, 3)]
        paged = await grep_all(cabinet, "matches", pattern="x", before=around, after=around, path=path, limit=limit)
        assert paged == whole


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        ("^", [1, 2, 3, 4]),
        ("^$", [2]),
        ("x*", [1, 2, 3, 4]),
        (r"\s", [3]),
        ("[^;]$", [3, 4]),
        (r"o\s+b", [3]),
        ("TODO[^:]", []),
    ],
)
async def test_each_line_is_looked_at_alone_and_may_match_without_a_char(pattern: str, lines: list[int]) -> None:
    cabinet = Cabinet()
    text = "foo;\n\nfoo bar\nTODO\n"
    await cabinet.fs_ok("write", path="a", content=text)
    await cabinet.keep(text)
    for path in ("a", f"{FOLDER}/call_1"):
        matches = await grep_all(cabinet, "matches", pattern=pattern, path=path, limit=2)
        assert [one["line"] for one in matches] == lines
        assert [one["text"] for one in matches] == [text.split("\n")[line - 1] for line in lines]
        counts = await grep_all(cabinet, "counts", pattern=pattern, path=path, mode="count")
        assert sum(one["count"] for one in counts) == len(lines)


@pytest.mark.parametrize(("pattern", "lines"), [(r"\B", [2, 4]), (r"x*\B", [2, 4]), (r"\Bé", [4])])
async def test_a_match_without_a_char_lies_between_chars(pattern: str, lines: list[int]) -> None:
    cabinet = Cabinet()
    text = "aéb\nxyz\naéb\n漢é\n"
    await cabinet.fs_ok("write", path="a", content=text)
    await cabinet.keep(text)
    for path in ("a", f"{FOLDER}/call_1"):
        matches = await grep_all(cabinet, "matches", pattern=pattern, path=path)
        assert [one["line"] for one in matches] == lines
        counts = await grep_all(cabinet, "counts", pattern=pattern, path=path, mode="count")
        assert sum(one["count"] for one in counts) == len(lines)


@pytest.mark.parametrize("pattern", ["row", "r.w", "r[o]w$"])
async def test_very_many_lines_are_counted_in_one_reply(pattern: str) -> None:
    cabinet = Cabinet()
    text = "row row\nnone\na row\n" * 3000
    await cabinet.fs_ok("write", path="a", content=text)
    await cabinet.keep(text, call="small")
    await cabinet.keep(text + "x", call="large", large=Large(block_bytes=5000))
    reply = await cabinet.fs_ok("grep", pattern=pattern, mode="count")
    assert ([one["count"] for one in reply["counts"]], reply["has_more"]) == ([6000] * 3, False)


async def test_files_and_counts_are_of_lines() -> None:
    cabinet = await filled()
    await cabinet.keep("import\nimport import\n")
    (result,) = await cabinet.paths("glob", pattern="*-*", path=FOLDER)
    assert await grep_all(cabinet, "files", pattern="import", mode="files") == ["/b.txt", "/src/a.py", result]
    assert await grep_all(cabinet, "counts", pattern="import", mode="count") == [
        {"path": "/b.txt", "count": 1},
        {"path": "/src/a.py", "count": 2},
        {"path": result, "count": 2},
    ]


async def test_a_glob_chooses_files() -> None:
    cabinet = await filled()
    assert await grep_all(cabinet, "files", pattern="import", glob="*.py", mode="files") == ["/src/a.py"]
    assert await grep_all(cabinet, "files", pattern="import", glob="src/**", mode="files") == ["/src/a.py"]


async def test_results_are_searched_by_call_and_by_id_and_all() -> None:
    cabinet = Cabinet()
    old = parse_ref(await cabinet.keep("error 1\n", call="run")).result_id
    new = parse_ref(await cabinet.keep("error 2\n", call="run")).result_id
    assert shown(await grep_all(cabinet, "matches", pattern="error", path=f"{FOLDER}/run")) == [
        f"{FOLDER}/run:1:error 2"
    ]
    assert shown(await grep_all(cabinet, "matches", pattern="error", path=f"{FOLDER}/{old}")) == [
        f"{FOLDER}/{old}:1:error 1"
    ]
    both = [f"{FOLDER}/{old}:1:error 1", f"{FOLDER}/{new}:1:error 2"]
    assert shown(await grep_all(cabinet, "matches", pattern="error", path=FOLDER)) == both
    assert shown(await grep_all(cabinet, "matches", pattern="error")) == both
    assert shown(await grep_all(cabinet, "matches", pattern="error", glob="run")) == both


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
async def test_pages_of_any_size_give_each_line_once(limit: int) -> None:
    cabinet = Cabinet()
    text = "".join(f"x x x {n}\n" if n % 2 else f"{n}\n" for n in range(8))
    for n in range(3):
        await cabinet.fs_ok("write", path=f"f{n}", content=text)
    for n in range(3):
        await cabinet.keep(text + str(n), call=f"c{n}")
    whole = await grep_all(cabinet, "matches", pattern="x", limit=1000)
    assert len(whole) == 24
    assert await grep_all(cabinet, "matches", pattern="x", limit=limit) == whole
    assert len(await grep_all(cabinet, "files", pattern="x", limit=limit, mode="files")) == 6
    counts = await grep_all(cabinet, "counts", pattern="x", limit=limit, mode="count")
    assert sorted((one["path"], one["count"]) for one in counts) == sorted({(m["path"], 4) for m in whole})


async def test_a_giant_line_is_shown_around_its_match() -> None:
    cabinet = Cabinet()
    await cabinet.fs_ok("write", path="a", content="x" * 100_000 + "needle" + "y" * 100_000)
    await cabinet.keep("x" * 100_000 + "needle" + "y" * 100_000)
    for path in ("a", f"{FOLDER}/call_1"):
        (match,) = await grep_all(cabinet, "matches", pattern="needle", path=path)
        assert "needle" in match["text"]
        assert len(match["text"]) <= 1000


async def test_what_is_no_text_is_said_where_it_is_asked_for_and_passed_over_otherwise() -> None:
    cabinet = Cabinet()
    await cabinet.keep(b"\xff\x00needle\xfe", call="binary")
    await cabinet.keep("needle", call="text")
    code, message = await cabinet.fs_error("grep", pattern="needle", path=f"{FOLDER}/binary")
    assert (code, "not text" in message) == ("invalid_argument", True)
    assert len(await grep_all(cabinet, "matches", pattern="needle")) == 1


async def test_a_full_message_goes_on_with_a_cursor() -> None:
    cabinet = Cabinet(max_reply_bytes=8000)
    await cabinet.fs_ok("write", path="a", content=f"x{'y' * 400}\n" * 50)
    assert len(await grep_all(cabinet, "matches", pattern="x", limit=1000)) == 50


@pytest.mark.parametrize(
    "fields",
    [
        {"pattern": ""},
        {"pattern": "("},
        {"pattern": "one\ntwo"},
        {"pattern": "(?=x)"},
        {"pattern": "x", "before": -1},
        {"pattern": "x", "after": 51},
        {"pattern": "x", "limit": 0},
        {"pattern": "x", "mode": "lines"},
        {"pattern": "x", "cursor": "none"},
        {"pattern": "x", "glob": ""},
        {"pattern": "x", "path": "../s2"},
        {"pattern": "x" * 10_001},
    ],
)
async def test_what_no_grep_can_mean_is_refused(fields: dict[str, Any]) -> None:
    assert (await Cabinet().fs_error("grep", **fields))[0] == "invalid_argument"


async def test_what_is_not_there_is_not_found() -> None:
    cabinet = await filled()
    for path in ("nowhere", "b.txt/x", f"{FOLDER}/nobody"):
        assert (await cabinet.fs_error("grep", pattern="x", path=path))[0] == "not_found"


async def test_one_session_has_no_more_places_than_its_own_and_who_waits_in_vain_is_told() -> None:
    places = Places()
    async with places.taken("a", most=3, of_session=2, seconds=9), places.taken("a", most=3, of_session=2, seconds=9):
        with pytest.raises(RequestError, match="2 of a session") as caught:
            async with places.taken("a", most=3, of_session=2, seconds=0):
                pass
        assert caught.value.code is Code.UNAVAILABLE
        async with places.taken("b", most=3, of_session=2, seconds=0):
            waiting = asyncio.create_task(_taken(places, "c"))
            await asyncio.sleep(0)
            assert not waiting.done()
        await waiting
    await _taken(places, "a")


async def _taken(places: Places, session: str) -> None:
    async with places.taken(session, most=3, of_session=2, seconds=9):
        pass
