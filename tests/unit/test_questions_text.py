"""What an agent asks of text that a tool returned: the stub answers it, or names the call that would."""

import difflib

import pytest
from tests.support.answering import REF, stub_of

WORDS = "The quick brown fox jumps over the lazy dog and goes on with it. " * 20


def build_log() -> str:
    """30,000 chars of a build that fails at its very end."""
    steps = "".join(f"[{at:3}/500] Compiling module_{at}.c with -O2 -Wall -Wextra -fPIC\n" for at in range(1, 501))
    failure = "src/shop.c:41:9: error: too few arguments to function 'total'\nmake: *** [Makefile:7: shop] Error 1\n"
    return f"{steps}{failure}exit code 2\n"


def application_log() -> str:
    lines = []
    for at in range(2000):
        stamp = f"2024-03-01 {8 + at // 600:02}:{at // 10 % 60:02}:{at % 60:02}"
        if at % 97 == 5:
            lines.append(f"{stamp} ERROR db: timeout after {at} ms")
        elif at % 131 == 7:
            lines.append(f"{stamp} ERROR mail: no route to host")
        else:
            lines.append(f"{stamp} INFO web: handled request {at}")
    return "\n".join(lines) + "\n"


def test_which_error_failed_the_build() -> None:
    text = build_log()
    stub = stub_of(text)
    assert len(text) > 30_000
    assert "src/shop.c:41:9: error: too few arguments to function 'total'" in stub
    assert "make: *** [Makefile:7: shop] Error 1" in stub
    assert "near the end: exit code 2" in stub


def test_how_many_errors_has_the_log_and_which_is_the_most_frequent() -> None:
    text = application_log()
    stub = stub_of(text)
    errors = text.count(" ERROR ")
    assert f"ERROR {errors}" in stub
    assert f"INFO {2000 - errors}" in stub
    assert f"{text.count('db: timeout')}x db: timeout after # ms" in stub


def test_what_time_does_the_log_span() -> None:
    stub = stub_of(application_log())
    assert "from, to: 2024-03-01 08:00:00, 2024-03-01 11:19:19" in stub


def test_what_else_was_logged_with_an_error_is_a_search_away() -> None:
    assert f"tool_result_search with ref={REF} finds passages by keyword" in stub_of(application_log())


def test_which_exception_ended_the_program_and_where_was_it_raised() -> None:
    text = "working\n" * 900 + (
        "Traceback (most recent call last):\n"
        '  File "/app/main.py", line 88, in main\n    run(load(path))\n'
        '  File "/app/shop.py", line 41, in load\n    return items["price"]\n'
        "KeyError: 'price'\n"
    )
    stub = stub_of(text)
    assert "last exception: KeyError: 'price'" in stub
    assert "raised at: /app/shop.py:41 in load" in stub
    assert "frames (2)" in stub


@pytest.mark.parametrize(
    ("text", "exception", "place"),
    [
        (
            'Exception in thread "main" java.lang.RuntimeException: outer\n\tat a.Main.main(Main.java:3)\n'
            "Caused by: java.io.IOException: no disk\n\tat a.Disk.read(Disk.java:17)\n\t... 1 more\n",
            "java.io.IOException: no disk",
            "Disk.java:17 in a.Disk.read",
        ),
        (
            "panic: index out of range [5]\n\ngoroutine 1 [running]:\nmain.f(...)\n\t/src/shop.go:12 +0x1d\n"
            "main.main()\n\t/src/main.go:5 +0x2e\nexit status 2\n",
            "panic: index out of range [5]",
            "/src/shop.go:12",
        ),
        (
            (
                "/app/a.js:3\n  throw x;\n  ^\n\nTypeError: x is bad\n    at f (/app/a.js:3:9)\n"
                "    at g (/app/b.js:9:1)\n\nNode.js v20\n"
            ),
            "TypeError: x is bad",
            "/app/a.js:3 in f",
        ),
        (
            "Unhandled exception. System.InvalidOperationException: bad\n"
            "   at Shop.Total(Int32 x) in /src/Shop.cs:line 12\n"
            "   at Program.Main() in /src/Program.cs:line 5\n",
            "System.InvalidOperationException: bad",
            "/src/Shop.cs:12 in Shop.Total(Int32 x)",
        ),
        (
            "PHP Fatal error:  Uncaught TypeError: bad type in /app/a.php:3\n"
            "Stack trace:\n#0 /app/b.php(9): f()\n#1 {main}\n",
            "TypeError: bad type",
            "/app/a.php:3",
        ),
        ("a.rb:3:in `f': bad (RuntimeError)\n\tfrom a.rb:9:in `<main>'\n", "RuntimeError: bad", "a.rb:3"),
    ],
)
def test_the_same_in_other_languages(text: str, exception: str, place: str) -> None:
    stub = stub_of(text)
    assert f"last exception: {exception}" in stub
    assert f"raised at: {place}" in stub


def test_which_files_does_the_diff_change_and_how_much() -> None:
    text = ""
    for name in ("src/shop.py", "src/cart.py", "docs/read.me"):
        old = [f"line {at} of {name}" for at in range(60)]
        new = [*old[:10], "new line", *old[12:]]
        body = "\n".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm=""))
        text += f"diff --git a/{name} b/{name}\nindex 1..2 100644\n{body}\n"
    stub = stub_of(text)
    assert "files (3): src/shop.py +1 -2, src/cart.py +1 -2, docs/read.me +1 -2" in stub
    assert "changed lines: +3, -6" in stub


def test_which_pods_are_in_trouble() -> None:
    rows = [
        f"web-{at:<8} 1/1     {'Running' if at % 20 else 'CrashLoopBackOff':<18} {at % 7:<10} {at}d"
        for at in range(200)
    ]
    stub = stub_of("\n".join(["NAME         READY   STATUS             RESTARTS   AGE", *rows]) + "\n")
    assert "columns (5): NAME, READY, STATUS, RESTARTS, AGE" in stub
    assert "rows (200)" in stub
    assert "STATUS: Running 190, CrashLoopBackOff 10" in stub


def test_which_tests_failed_and_how_many_passed() -> None:
    dots = "".join(f"tests/test_{at}.py {'.' * 20} [{at:3}%]\n" for at in range(100))
    text = (
        f"===== test session starts =====\ncollected 2000 items\n\n{dots}\n"
        "FAILED tests/test_7.py::test_total - assert 1 == 2\nFAILED tests/test_9.py::test_load[x] - KeyError: 'x'\n"
        "===== 2 failed, 1998 passed in 12.3s =====\n"
    )
    stub = stub_of(text)
    assert "failed (2): tests/test_7.py::test_total, tests/test_9.py::test_load[x]" in stub
    assert "2 failed, 1998 passed in 12.3s" in stub


def test_how_many_errors_has_the_build_and_which_are_the_first() -> None:
    text = "".join(
        f"> Task :part{at}:compileJava FAILED\n"
        f"/src/A{at}.java:3: error: cannot find symbol x{at}\n    x();\n    ^\n1 error\n"
        for at in range(40)
    )
    stub = stub_of(f"{text}\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 2s\n")
    assert "errors (40): /src/A0.java:3: error: cannot find symbol x0" in stub
    assert "near the end: BUILD FAILED in 2s" in stub


def test_how_many_rows_did_the_query_give() -> None:
    rows = "".join(f"| {at:4} | {'open' if at % 3 else 'closed':6} |\n" for at in range(300))
    rule = "+------+--------+\n"
    stub = stub_of(f"{rule}|   id | state  |\n{rule}{rows}{rule}300 rows in set (0.01 sec)\n")
    assert "columns (2): id, state" in stub
    assert "rows (300)" in stub
    assert "state: open 200, closed 100" in stub


def test_in_which_files_was_it_found_and_how_often() -> None:
    text = "".join(f"src/{'ab'[at % 3 == 0]}.py:{at}:def f{at}():\n" for at in range(1, 301))
    stub = stub_of(text)
    assert "matching lines (300)" in stub
    assert "files, by matching lines (2): src/a.py 200, src/b.py 100" in stub


def test_who_committed_and_when() -> None:
    text = "".join(
        f"commit {at:040x}\nAuthor: {'Ann' if at % 4 else 'Bo'} <x@y>\nDate:   2024-01-{28 - at % 28:02} 10:00\n\n"
        f"    Words {at}\n\n"
        for at in range(1, 101)
    )
    stub = stub_of(text)
    assert "commits (100)" in stub
    assert "Ann 75, Bo 25" in stub
    assert "2024-01-27 10:00, 2024-01-12 10:00" in stub


def test_what_is_set_in_the_configuration() -> None:
    text = "".join(f"[section_{at}]\nname = value {at}\npath = /srv/{at}\n\n" for at in range(40))
    stub = stub_of(text)
    assert "sections (40): section_0, section_1" in stub
    assert "and 20 more" in stub
    assert "keys (80)" in stub


def test_which_chapters_has_the_document() -> None:
    stub = stub_of("".join(f"第{number}章 关于{number}\n\n{WORDS}\n\n" for number in "一二三四五"))
    assert "section headers (5):\n- 第一章 关于一\n" in stub


def test_where_to_read_on_is_said() -> None:
    stub = stub_of(WORDS * 30)
    assert "opening, white space folded: The quick brown fox" in stub
    assert f"tool_result_read with ref={REF}, offset and limit" in stub
