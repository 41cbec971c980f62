"""The finer formats of a text, by what programs really print, whole and cut."""

import pytest

from coatcheck_core.synopsis.seen import Seen
from coatcheck_core.synopsis.text.formats import decides, has_headers, text_format

FORMATS = {
    "html": "<!-- by hand --><!DOCTYPE html>\n<html><body><p>Words<br>and more</body></html>\n",
    "diff": "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
    "log": (
        "I0102 10:00:00.000001 1 main.go:3] starting\nW0102 10:00:01.000001 1 main.go:4] slow\n"
        "E0102 10:00:02.000001 1 x\n"
    ),
    "traceback": 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()\nValueError: bad\n',
    "table": (
        "NAME    READY   STATUS    AGE\nweb-1   1/1     Running   2d\nweb-2   0/1     Pending   3h\n"
        "db-0    1/1     Running   9d\n"
    ),
    "ini": "[main]\nname = some value\n; a comment\n[other]\npath: /tmp\n",
    "toml": '[package]\nname = "x"\nversion = "1"\n\n[[bin]]\npath = "src/a.rs"\nfeatures = ["a", "b"]\n',
    "markdown": "# Title\n\nSome words of it.\n\n- one `thing`\n- **two**\n\n```sh\nls\n```\n",
    "rst": "Title\n=====\n\n.. note:: words\n\nSee :ref:`other` and ``code``.\n\n.. code-block:: sh\n\n   ls\n",
    "grep": "src/a.py:12:def f():\nsrc/a.py:30:def g():\nsrc/b.py:1:import a\n",
    "paths": "./src/a.py\n./src/b.py\n./tests/c.py\n",
    "tree": ".\n├── src\n│   ├── a.py\n│   └── b.py\n└── tests\n\n2 directories, 2 files\n",
    "test-report": (
        "============ test session starts ============\ncollected 2 items\n\na.py .F\n\n"
        "=== 1 failed, 1 passed in 0.1s ===\n"
    ),
    "build": "a.c: In function 'main':\na.c:3:5: error: expected ';' before 'return'\n    3 |     x\n      |     ^\n",
    "git-log": "commit 0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d\nAuthor: A <a@x>\nDate:   Mon Jan 1\n\n    Words\n",
    "git-oneline": "0a1b2c3 One thing\n9f8e7d6 (HEAD -> main) Another\n1234abc A third\n",
    "http": "HTTP/1.1 404 Not Found\nContent-Type: text/plain\n\nnot here\n",
    "mail": "From: a@x\nTo: b@x\nSubject: words\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\nHello.\n",
    "pem": "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    "hexdump": "00000000: 7f45 4c46 0201 0100 0000 0000 0000 0000  .ELF............\n" * 3,
    "man": (
        "LS(1)                 User Commands                 LS(1)\n\nNAME\n       ls - list\n\nSYNOPSIS\n       ls\n"
    ),
    "roff": '.TH LS 1\n.SH NAME\nls \\- list\n.SH SYNOPSIS\n.B ls\n.\\" words\n',
    "numbered-lines": "     1\timport os\n     2\t\n     3\tdef f():\n",
    "shell-session": "$ ls\na b\n$ cat a\nwords\n",
    "env": "HOME=/root\nPATH=/usr/bin:/bin\nLANG=C.UTF-8\n",
    "pkg-config": "prefix=/usr\nlibdir=${prefix}/lib\n\nName: x\nDescription: A library\nVersion: 1\nLibs: -lx\n",
    "properties": "# comment\nserver.port = 80\nserver.name = a b\n",
    "ls-recursive": "./a:\none\ntwo\n\n./b:\nthree\n",
}


def judged(text: str) -> str | None:
    return text_format(Seen(text.encode()))


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_told_by_its_text(name: str) -> None:
    assert judged(FORMATS[name]) == name


@pytest.mark.parametrize("name", FORMATS)
def test_line_ends_of_windows_and_colours_change_no_format(name: str) -> None:
    text = FORMATS[name]
    assert judged(text.replace("\n", "\r\n")) == name
    assert judged("\ufeff" + "".join(f"\x1b[32m{line}\x1b[0m\n" for line in text.splitlines())) == name


@pytest.mark.parametrize(
    "text",
    [
        '127.0.0.1 - - [10/Oct/2023:13:55:36 +0000] "GET / HTTP/1.1" 200 2326\n' * 4,
        "time=2024-01-01T10:00:00Z level=info msg=started\n" * 4,
        "Jan  2 10:00:00 host sshd[1]: words\n" * 4,
        "[    0.000000] Linux version 6.1\n[    0.100000] Command line\n[    0.200000] words\n",
        "web-1  | 2024-01-01 10:00:00 INFO words\nweb-2  | 2024-01-01 10:00:01 INFO words\n" * 2,
        "INFO:root:words\nWARNING:root:more\nERROR:root:bad\n",
        "1:M 14 Jun 2024 09:00:15.833 * Ready\n" * 4,
        "2024-01-01 10:00:00 ERROR bad\nTraceback (most recent call last):\n  File x\nValueError: y\n" * 3,
    ],
)
def test_logs_of_many_programs_are_logs(text: str) -> None:
    assert judged(text) == "log"


@pytest.mark.parametrize(
    "text",
    [
        (
            'Exception in thread "main" java.lang.IllegalStateException: bad\n\tat a.B.c(B.java:3)\n'
            "\tat a.B.main(B.java:9)\n"
        ),
        (
            "panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n"
            "\t/src/a.go:5 +0x1d\nexit status 2\n"
        ),
        (
            "/app/a.js:3\n  throw x;\n  ^\n\nTypeError: x is bad\n    at f (/app/a.js:3:9)\n"
            "    at g (/app/a.js:9:1)\n\nNode.js v20\n"
        ),
        (
            "thread 'main' panicked at src/main.rs:2:5:\nboom\nstack backtrace:\n"
            "   0: core::panicking::panic\n   1: app::main\n"
        ),
        "a.rb:3:in `f': bad (RuntimeError)\n\tfrom a.rb:9:in `<main>'\n",
        "working ...\nstill working\n" * 20
        + 'Traceback (most recent call last):\n  File "a", line 1, in f\nKeyError: 1\n',
    ],
)
def test_tracebacks_of_many_languages_are_tracebacks(text: str) -> None:
    assert judged(text) == "traceback"


@pytest.mark.parametrize(
    "text",
    [
        (
            "total 8\n-rw-r--r-- 1 root root  120 Jan  1 10:00 a.txt\n"
            "-rw-r--r-- 1 root root 4096 Jan  1 10:00 b\ndrwxr-xr-x 2 me   me     10 Jan  1 10:00 c\n"
        ),
        "+----+------+\n| id | name |\n+----+------+\n|  1 | a    |\n|  2 | b    |\n+----+------+\n",
        "┌────┬──────┐\n│ id │ name │\n├────┼──────┤\n│ 1  │ a    │\n└────┴──────┘\n",
        "| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
        "Package    Version\n---------- -------\npip        23.0\nsetuptools 65.5\n",
        "Active Internet connections (w/o servers)\n"
        "Proto Recv-Q Send-Q Local Address    Foreign Address  State\n"
        "tcp        0      0 127.0.0.1:80     127.0.0.1:5000   ESTABLISHED\n"
        "tcp        0      0 127.0.0.1:22     127.0.0.1:5001   TIME_WAIT\n",
    ],
)
def test_tables_of_many_programs_are_tables(text: str) -> None:
    assert judged(text) == "table"


@pytest.mark.parametrize(
    "text",
    [
        "Some plain words of prose, which go on.\nAnd a second line of them.\n",
        "The log said ERROR at 10:00:00, and nobody knew why.\nSo they looked.\n",
        "int x    = 1;\nint yy   = 2;\nint zzz  = 3;\nint wwww = 4;\n",
        "name    : x\nversion : 2\nlicense : MIT\n",
        "func (a *B) C() {\n}\n" * 50,
        "# set up\nimport os\n\n# go on\nos.getcwd()\n",
        "No such item, said the server.\n" * 5,
        "a:\n  b: 1\nc:\n  d: 2\n\n[exit code: 1]\n",
    ],
)
def test_what_is_none_of_them_has_no_format(text: str) -> None:
    assert judged(text) is None


@pytest.mark.parametrize("name", ["diff", "log", "grep", "table", "ini"])
def test_the_middle_of_a_long_text_has_the_same_format(name: str) -> None:
    middle = "".join(FORMATS[name].replace("web-", f"w{at % 90 + 10}-") for at in range(300))[2000:12_000]
    assert judged(middle.partition("\n")[2]) == name


def test_a_module_that_is_documented_in_rst_is_no_rst() -> None:
    assert judged('"""Title\n=====\n\n.. note:: words\n\nSee :ref:`other`.\n"""\nimport os\n') != "rst"
    assert decides("rst")


def test_a_history_of_changes_with_underlined_titles_is_markdown() -> None:
    assert (
        judged("1.0 / 2024-08-31\n================\n\n  * Drop node\n  * Add it\n\n0.9 / 2023\n==========\n\n  * One\n")
        == "markdown"
    )
    assert judged("TESTS\n=====\nwords\n\nMORE\n====\nwords of it\nand more\n") != "markdown"


def test_a_script_of_assignments_is_no_environment() -> None:
    assert judged("#!/bin/sh\nA=1\nB=2\nC=3\n") != "env"


def test_white_space_alone_has_no_format() -> None:
    assert judged(" \n\n") is None


def test_what_may_still_be_code_or_yaml_does_not_decide() -> None:
    assert not decides(None)
    assert not decides("properties")
    assert decides("diff")


def test_data_has_no_headers_and_documents_have() -> None:
    assert not has_headers("log")
    assert not has_headers("json-truncated")
    assert has_headers("markdown")
    assert has_headers(None)
