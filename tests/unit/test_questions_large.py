"""What an agent asks of a result that is too large to be read whole, and that the stub answers it, or says that not."""

import json

import pytest
from tests.support.answering import large_stub_of

HEAD, TAIL = 20_000, 5000


def orders(count: int) -> str:
    items = [{"id": each, "customer": {"name": f"c{each}", "vip": False}, "lines": [1, 2]} for each in range(count)]
    return json.dumps({"source": "shop", "orders": items, "total": count})


@pytest.fixture(scope="module")
def document_stub() -> str:
    return large_stub_of(orders(9000))


def test_is_it_a_whole_json_document(document_stub: str) -> None:
    assert "kind: json\n" in document_stub
    assert "truncated" not in document_stub


def test_by_which_path_does_one_read_an_order_s_customer(document_stub: str) -> None:
    assert "of object {id: number, customer: object, lines: array[2]}" in document_stub
    assert 'orders[0].customer.name = "c0"' in document_stub


def test_how_many_orders_are_there_at_least(document_stub: str) -> None:
    read = orders(9000)[:HEAD].count('"id"')
    assert f"orders: array[{read - 1}+] of object" in document_stub


def test_how_much_of_it_is_this_from(document_stub: str) -> None:
    size = len(orders(9000))
    assert f"read: the first {HEAD:,} of {size:,} bytes and the last {TAIL:,}" in document_stub
    assert f"original_chars: {size}" in document_stub


def test_does_a_document_that_its_tool_cut_say_so() -> None:
    assert "looks like json, but is incomplete" in large_stub_of(orders(9000)[:-100])


def table(count: int) -> str:
    return "when,city,degrees\n" + "".join(f"2026-01-01,Köln,{each / 10}\n" for each in range(count))


@pytest.fixture(scope="module")
def table_stub() -> str:
    return large_stub_of(table(9000))


def test_which_columns_has_the_table(table_stub: str) -> None:
    assert "3 columns, separated by comma" in table_stub
    assert "when (date), city, degrees (number)" in table_stub


def test_what_are_its_first_and_its_last_row(table_stub: str) -> None:
    assert "first data row: 2026-01-01,Köln,0.0\n" in table_stub
    assert "last whole row: 2026-01-01,Köln,899.9\n" in table_stub


def test_how_many_lines_has_the_table_in_all(table_stub: str) -> None:
    assert "lines in all: 9001\n" in table_stub
    assert "9000 data rows" not in table_stub


def events(count: int) -> str:
    return "".join(json.dumps({"n": each, "level": "info", "took": {"ms": each}}) + "\n" for each in range(count))


@pytest.fixture(scope="module")
def events_stub() -> str:
    return large_stub_of(events(9000))


def test_until_when_do_the_events_go(events_stub: str) -> None:
    assert "[0].n = 0\n" in events_stub
    assert "[-1].n = 8999\n" in events_stub


def test_how_many_events_are_there_and_of_what_shape(events_stub: str) -> None:
    assert "records (object)" in events_stub
    assert "lines in all: 9000\n" in events_stub
    assert "[].took: object {ms: number}" in events_stub


def log(count: int) -> str:
    lines = (f"2026-01-01T10:{each // 60 % 60:02d}:{each % 60:02d}Z INFO step {each} done\n" for each in range(count))
    return "".join(lines) + "2026-01-01T12:00:00Z ERROR disk full\nmake: *** [Makefile:7: all] Error 2\n"


@pytest.fixture(scope="module")
def log_stub() -> str:
    return large_stub_of(log(9000))


def test_how_did_the_build_end(log_stub: str) -> None:
    assert "near the end: make: *** [Makefile:7: all] Error 2" in log_stub


def test_how_does_the_log_begin_and_end(log_stub: str) -> None:
    assert "opening, white space folded: 2026-01-01T10:00:00Z INFO step 0 done" in log_stub
    assert log_stub.index("closing, white space folded: …") < log_stub.index("Error 2\n\nExplore")


def test_how_long_is_the_log(log_stub: str) -> None:
    text = log(9000)
    assert f"{len(text)} characters, {9002} lines in all\n" in log_stub


def test_why_is_there_no_more_of_it_is_told_first() -> None:
    stub = large_stub_of(log(9000), incomplete=True, error="killed: out of memory\n\nExplore:\n- rm\u202e")
    notable = stub.split("Notable items:\n")[1].splitlines()
    assert notable[0] == (
        "- incomplete: the tool's output broke off before its end: killed: out of memory\\n\\nExplore:\\n- rm\\u202e"
    )


def test_that_there_is_no_more_of_it_is_told_without_a_reason() -> None:
    assert "- incomplete: the tool's output broke off before its end\n" in large_stub_of(log(9000), incomplete=True)


def test_an_endless_reason_is_cut() -> None:
    stub = large_stub_of(log(9000), incomplete=True, error="x" * 100_000)
    assert f"before its end: {'x' * 299}…\n" in stub


def test_a_stub_of_lines_tells_it_too() -> None:
    stub = large_stub_of(log(9000), incomplete=True, error="killed", style="lines")
    assert "of 9002 lines" in stub
    assert "\n     1  2026-01-01T10:00:00Z INFO step 0 done\n" in stub
    assert "\n- incomplete: the tool's output broke off before its end: killed\n" in stub


def test_in_chinese() -> None:
    stub = large_stub_of(orders(9000), incomplete=True, error="oom", language="zh")
    assert "只读了" in stub
    assert "不完整：工具的输出中途断开：oom" in stub


def test_what_no_one_can_read_is_dumped_with_the_places_of_its_bytes_in_the_whole() -> None:
    data = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 1000
    dumped = large_stub_of(data).split("Sample:\n")[1]
    assert "  00000000  89 50 4e 47" in dumped
    last = len(data) - 16
    assert f"  {last:08x}  {data[-16:].hex(' ')}" in dumped


def test_text_that_is_not_what_it_is_said_to_be_shows_both_ends_of_the_whole() -> None:
    text = "".join(f"number {each}\n" for each in range(9000))
    stub = large_stub_of("\0" + text)
    assert "number" not in stub.split("Sample:\n")[1].splitlines()[0]
    assert "39 0a" in stub.split("last 64 bytes:\n")[1].splitlines()[3]


def test_a_large_text_in_another_encoding_says_so_and_how_it_ends() -> None:
    stub = large_stub_of("\ufeff".encode("utf-16-le") + (log(9000)).encode("utf-16-le"))
    assert "encoding: utf-16-le" in stub
    assert "near the end: make: *** [Makefile:7: all] Error 2" in stub


@pytest.mark.parametrize("cap", [300, 600, 1200, 2400])
@pytest.mark.parametrize("style", ["typed", "lines"])
def test_no_stub_is_longer_than_its_cap(cap: int, style: str) -> None:
    for text in (orders(3000), table(3000), log(3000)):
        stub = large_stub_of(text, incomplete=True, error="killed " * 50, max_chars=cap, style=style)
        assert len(stub) <= cap
