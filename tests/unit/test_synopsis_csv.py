"""Exact facts of CSV and TSV, and what looks like them and is not."""

import pytest

from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.synopsis import TableFacts

ROWS = "".join(f"{number},name{number},{number * 1.5}\n" for number in range(40))


def table_facts(text: str, kind: str = "csv", mime_type: str | None = None) -> TableFacts:
    synopsis = synopsize(text.encode(), mime_type)
    assert synopsis.kind == kind
    assert isinstance(synopsis.facts, TableFacts)
    return synopsis.facts


def test_rows_leave_out_the_header_and_blank_lines() -> None:
    assert table_facts('id,name\r\n1,"Smith, J"\r\n\r\n2,x\r\n') == TableFacts(
        rows=2,
        columns=2,
        names=["id", "name"],
        delimiter=",",
        first_row='1,"Smith, J"',
        types=["number", "text"],
        typed_rows=2,
        last_row="2,x",
    )


def test_a_field_with_line_breaks_and_quotes_is_one_field() -> None:
    facts = table_facts('id,note\n1,"a\nb, ""c"""\n2,"d\n\n"\n')
    assert (facts.rows, facts.first_row, facts.last_row) == (2, '1,"a\nb, ""c"""', '2,"d\n\n"')


def test_rows_are_cut_at_180_chars() -> None:
    facts = table_facts("a,b\n" + "x" * 300 + ",2\n" + "y" * 300 + ",3\n")
    assert facts.first_row == "x" * 179 + "…"
    assert facts.last_row == "y" * 179 + "…"


@pytest.mark.parametrize(
    ("text", "kind", "delimiter", "columns"),
    [
        ("id;name\n1;a,b\n", "csv", ";", 2),
        ("a;b;c\n1,5;2,5;3,0\n", "csv", ";", 3),
        ("Datum;Betrag;Text\n" + "01.01.2025;1,50;Kauf 1\n" * 1500, "csv", ";", 3),
        ("\ufeffKonto;Soll;Haben\r\n" + "1000;1,10;2,99\r\n" * 50, "csv", ";", 3),
        ("1000;1,10;2,99\n1001;3,15;4,99\n" * 20, "csv", ";", 3),
        ("0,5;1,10;2,99\n7,1;3,15;4,99\n" * 20, "csv", ";", 3),
        ("Name, Vorname;Ort\n" + "Muster, Max;Bern\nMeier, Eva;Zug\n" * 5, "csv", ";", 2),
        ("id,tags\n" + "1,x;y;z\n2,u;v;w\n" * 9, "csv", ",", 2),
        ("id\tname, first\n1\tx\n", "tsv", "\t", 2),
        ("id|name\n1|a\n2|b\n(2 rows)\n", "csv", "|", 2),
        ("1|foo|2.5\n2|bar|3.5\n3|baz|4.5\n", "csv", "|", 3),
    ],
)
def test_the_delimiter_is_told(text: str, kind: str, delimiter: str, columns: int) -> None:
    facts = table_facts(text, kind)
    assert (facts.delimiter, facts.columns) == (delimiter, columns)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_each_way(end: str) -> None:
    facts = table_facts(f"a,b{end}1,2{end}3,4{end}")
    assert (facts.rows, facts.names, facts.first_row, facts.last_row) == (2, ["a", "b"], "1,2", "3,4")


def test_a_long_text_of_an_old_mac_is_counted_whole() -> None:
    facts = table_facts("id,name,size\r" + ROWS.replace("\n", "\r") * 2000)
    assert (facts.rows, facts.columns) == (80_000, 3)


def test_columns_have_types_by_the_first_rows() -> None:
    facts = table_facts("id,ok,at,size,note,none\n1,true,2024-01-02,1.5,x,\n2,false,2024-01-03T10:00:00Z,-3,7,\n")
    assert facts.types == ["number", "boolean", "date", "number", "text", "empty"]


@pytest.mark.parametrize(
    "text",
    ["1,2\n3,4\n5,6\n", "abc1234,Bob,2024-01-01\nabd1234,Al,2024-01-02\n", ROWS],
)
def test_without_a_header_the_first_record_is_data(text: str) -> None:
    facts = table_facts(text)
    assert (facts.headless, facts.names, facts.rows) == (True, [], text.count("\n"))


@pytest.mark.parametrize("text", ["country,2019,2020\nA,1,2\nB,3,4\n", "name,city\nBob,Paris\nAl,Rome\n"])
def test_a_header_may_have_years_or_stand_above_text(text: str) -> None:
    facts = table_facts(text)
    assert (facts.headless, facts.rows) == (False, 2)


@pytest.mark.parametrize(("above", "first"), [("# made by a tool\n\n", "id"), ("##meta\n#", "#id")])
def test_comments_above_the_header_are_no_records(above: str, first: str) -> None:
    facts = table_facts(f"{above}id,name\n1,a\n2,b\n")
    assert (facts.rows, facts.names) == (2, [first, "name"])


def test_a_last_record_that_was_cut_is_counted_and_said() -> None:
    facts = table_facts(f"id,name,size\n{ROWS}41,na")
    assert (facts.rows, facts.ends_cut, facts.last_row) == (41, True, "39,name39,58.5")


def test_a_cut_inside_a_quoted_field_is_said() -> None:
    facts = table_facts(f'id,name,size\n{ROWS}41,"na,me\nand')
    assert (facts.rows, facts.ends_cut, facts.last_row) == (41, True, None)


def test_a_first_record_that_was_cut_is_counted_and_said() -> None:
    facts = table_facts(f"me,5\n{ROWS}")
    assert (facts.rows, facts.starts_cut, facts.headless, facts.types) == (41, True, True, ["number", "text", "number"])


@pytest.mark.parametrize("below", ["[exit code: 0]", "... [truncated]", "(40 rows)", "12 more lines"])
def test_what_a_tool_puts_below_is_no_record(below: str) -> None:
    synopsis = synopsize(f"id,name,size\n{ROWS}\n{below}\n".encode())
    assert isinstance(synopsis.facts, TableFacts)
    assert (synopsis.facts.rows, synopsis.facts.ends_cut, synopsis.outcome) == (40, False, [below])


@pytest.mark.parametrize(
    "below",
    ["ERROR: query timed out after 30 s", "psql: error: connection lost, retry", "Killed", "Warning: late"],
)
def test_what_stopped_a_program_below_its_table_is_its_outcome(below: str) -> None:
    synopsis = synopsize(f"id,name,price\n{ROWS}{below}\n".encode())
    assert synopsis.outcome == [below]
    assert isinstance(synopsis.facts, TableFacts)
    assert (synopsis.facts.rows, synopsis.facts.columns, synopsis.facts.ends_cut) == (40, 3, False)


def test_a_delimiter_of_which_some_rows_have_another_number_leaves_the_text_to_no_other() -> None:
    rows = "1000;1,10;2,99\n" * 50
    assert synopsize(f"Konto;Soll;Haben\n{rows}a;b\n{rows}".encode()).kind == "text"


def test_a_record_that_is_cut_above_a_tools_line_is_said() -> None:
    facts = table_facts(f"id,name,size\n{ROWS}41,na\n... [truncated]\n")
    assert (facts.rows, facts.ends_cut) == (41, True)


def test_quotes_that_do_not_pair_are_letters() -> None:
    facts = table_facts('id\tname\n1\t"foo\n2\tbar\n3\t5" disk\n', "tsv")
    assert (facts.rows, facts.first_row, facts.last_row) == (3, '1\t"foo', '3\t5" disk')


def test_uneven_rows_in_the_middle_are_no_table() -> None:
    assert synopsize(f"id,name,size\n{ROWS}1,2\n{ROWS}".encode()).kind == "text"


def test_a_header_alone_is_a_table_where_its_type_is_declared() -> None:
    assert table_facts("id,name\n", mime_type="text/csv").rows == 0
    assert synopsize(b"id,name\n").kind == "text"


NO_TABLES = {
    "prose": "Roses are red, violets are blue\nSugar is sweet, and so are you\n",
    "log with a comma in its time": "2024-01-01 12:00:00,123 INFO x\n2024-01-01 12:00:01,123 INFO y\n" * 5,
    "style sheet": "  color: red;\n  margin: 0;\n",
    "members of an enum": "FOO,\nBAR,\nBAZ,\n",
    "calls": "foo(a, b);\nbar(c, d);\n",
    "assembly": "mov eax, ebx\nadd ecx, edx\nmov a, b\n",
    "insert statements": "INSERT INTO x VALUES (1, 'a', 'b');\nINSERT INTO x VALUES (2, 'a', 'b');\n",
    "imports": "import a, b\nimport c, d\n",
    "du": "4\t./a\n8\t./b\n12\t.\n",
    "cat -n": "     1\tfoo\n     2\tbar\n",
    "git shortlog": "   12\tBob\n    3\tAl\n",
    "git ls-remote": "8f3a2b1c9d8f3a2b1c9d\trefs/heads/x\n9f3a2b1c9d8f3a2b1c9d\trefs/heads/y\n",
    "indented code": "\tfoo\n\tbar\n",
    "Markdown table": "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "aligned table": " id | name \n----+------\n  1 | a\n",
    "thousands": "1,234\n2,345\n3,456\n",
    "labelled values": "epoch: 1, loss: 0.5, acc: 0.9\nepoch: 2, loss: 0.4, acc: 0.9\n",
    "Python dicts": "{'a': 1, 'b': 2}\n{'a': 2, 'b': 3}\n",
    "requirements": "a>=1,<2\nb>=2,<3\n",
    "quoted prose": '"Hello, world"\n"Bye, moon"\n',
    "users": "root:x:0:0:root,,,:/root:/bin/bash\nme:x:1:1:Me,,,:/home/me:/bin/sh\n",
}


@pytest.mark.parametrize("name", NO_TABLES)
def test_what_only_looks_like_a_table_is_none(name: str) -> None:
    assert synopsize(NO_TABLES[name].encode()).kind not in ("csv", "tsv")
