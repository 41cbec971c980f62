"""What an agent asks of a CSV that it can't see, and where its stub answers."""

import csv
import io

from tests.support.answering import stub_of


def export(rows: int) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["order_id", "created_at", "customer", "status", "total", "note"])
    for number in range(rows):
        status = "failed" if number % 7 == 0 else "shipped"
        writer.writerow(
            [1000 + number, f"2024-03-{number % 28 + 1:02}", f"Smith, {number}", status, number * 2.5, "a\nb"]
        )
    return out.getvalue()


def test_how_many_orders_there_are() -> None:
    assert "1200 data rows, 6 columns, separated by comma" in stub_of(export(1200))


def test_which_column_has_the_time_and_which_can_be_summed() -> None:
    stub = stub_of(export(1200))
    assert "order_id (number), created_at (date), customer, status, total (number), note" in stub
    assert "types by the first 50 rows" in stub


def test_from_when_to_when_the_export_goes() -> None:
    stub = stub_of(export(1200))
    assert 'first data row: 1000,2024-03-01,"Smith, 0",failed,0.0,' in stub
    assert 'last whole row: 2199,2024-03-24,"Smith, 1199",shipped,2997.5,' in stub


def test_which_orders_failed_is_a_search_away() -> None:
    assert "tool_result_search with ref=coat://s/call" in stub_of(export(1200))


def test_whether_the_export_is_whole() -> None:
    assert "the last record is cut at its end" in stub_of(export(1200)[:5003])
    assert "is cut" not in stub_of(export(1200))


def test_whether_the_query_had_a_header() -> None:
    stub = stub_of("".join(f"{number}|name {number}|{number / 4}\n" for number in range(500)))
    assert "500 data rows, 3 columns, separated by bar" in stub
    assert "no header line" in stub


def test_how_the_command_ended() -> None:
    assert "near the end: [exit code: 1]" in stub_of(export(300) + "[exit code: 1]\n")


def test_a_stub_stays_small() -> None:
    assert len(stub_of(export(1200))) < 1500
