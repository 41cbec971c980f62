"""The lines at the end that say how it went, as programs say it; prose, data and code at the end say nothing."""

import pytest

from coatcheck_core.synopsis.seen import Seen
from coatcheck_core.synopsis.text.outcome import MAX_LINES, outcome_of, read_outcome

ENDINGS = (
    "exit code 2",
    "[exit code: 1]",
    "exited with status 137",
    "Process finished with exit code 0",
    "The command returned a non-zero code: 1",
    "= 2 failed, 11 passed, 1 skipped in 0.31s =",
    "Ran 12 tests in 0.004s",
    "FAILED (failures=1, errors=1)",
    "OK",
    "FAIL\texample.org/shop\t0.004s",
    "ok  \texample.org/shop\t0.004s",
    "--- FAIL: TestTotal (0.00s)",
    "test result: FAILED. 8 passed; 1 failed; 0 ignored",
    'error: could not compile `shop` (bin "shop") due to 2 previous errors',
    "error[E0308]: mismatched types",
    "Tests:       1 failed, 17 passed, 18 total",
    "[INFO] BUILD FAILURE",
    "Tests run: 5, Failures: 1, Errors: 0, Skipped: 0",
    "BUILD SUCCESSFUL in 3s",
    "FAILURE: Build failed with an exception.",
    "make: *** [Makefile:7: bad] Error 1",
    "ninja: build stopped: subcommand failed.",
    "npm ERR! code ELIFECYCLE",
    "added 12 packages, and audited 13 packages in 2s",
    "Found 5 errors in 2 files.",
    "a.c:3:5: error: expected ';' before 'return'",
    "collect2: error: ld returned 1 exit status",
    'ERROR: failed to solve: process "/bin/sh -c make" did not complete successfully: exit code: 2',
    "Apply complete! Resources: 3 added, 0 changed, 1 destroyed.",
    "Plan: 3 to add, 0 to change, 0 to destroy.",
    "total size is 1,234  speedup is 12.00",
    "rsync error: some files could not be transferred (code 23) at main.c(1338)",
    "curl: (7) Failed to connect to localhost port 9",
    "E: Unable to locate package nope",
    "1 upgraded, 0 newly installed, 0 to remove and 138 not upgraded.",
    "host-1 : ok=10 changed=2 unreachable=0 failed=1 skipped=1",
    "Active: failed (Result: exit-code) since Mon 2024-01-01 10:00:00 UTC",
    "bash: nope: command not found",
    "cat: x: No such file or directory",
    "Segmentation fault (core dumped)",
    "Killed",
    "java.lang.IllegalStateException: bad",
    "KeyError: 'customer'",
    "thread 'main' panicked at src/main.rs:2:5:",
    "fatal: not a git repository (or any of the parent directories): .git",
    "49 files changed, 3740 insertions(+), 127 deletions(-)",
    "(160 rows)",
    "real\t0m0.002s",
    "Finished in 3.2 seconds",
    "退出码：2",
    "退出代码 137",
    "构建失败",
    "错误：找不到模块",
    "测试完成，3 个失败，20 个通过",
    "总计：120",
    "耗时：3.2 秒",
)
SILENT = (
    "and so they lived happily ever after.",
    "The error was found by a reader, who wrote to us at once about it and about much else.",
    "no error is returned in that case",
    "Summary: a tool for it",
    'on = ["error"]',
    "191\twarnings = found",
    "    return error",
    "raise ValueError('failed')",
    "throw new Error('failed: ' + x);",
    "# exit code 2 means trouble",
    "pkg net, method (*Resolver) LookupIP(string) ([]IP, error)",
    "他失败了很多次，但是从来没有放弃过，最后终于找到了自己的路。",
    "log.error('failed: 1')",
)


@pytest.mark.parametrize("line", ENDINGS)
def test_an_ending_is_told(line: str) -> None:
    assert outcome_of(f"some work\nmore of it\n{line}\n") == [line.strip()]


@pytest.mark.parametrize("line", SILENT)
def test_what_is_no_ending_is_not(line: str) -> None:
    assert outcome_of(f"some words\nmore of them\n{line}\n") == []


def test_the_first_trouble_and_the_last_lines_are_kept() -> None:
    lines = [f"{name}.c:1:1: error: no {name}" for name in "abcdefghij"]
    assert outcome_of("\n".join(lines)) == [lines[0], *lines[-(MAX_LINES - 1) :]]


def test_a_total_within_a_listing_tells_nothing() -> None:
    assert outcome_of("a:\ntotal 40\nx\ny\n\nb:\ntotal 12\nz\n") == []
    assert outcome_of("a:\ntotal 40\nx\ntotal 52\n") == ["total 52"]


def test_of_a_log_only_lines_of_trouble_and_the_last_count() -> None:
    log = "".join(f"2024-01-01 10:00:{at:02d} {'ERROR' if at == 4 else 'INFO'} query took 3 ms\n" for at in range(9))
    assert read_outcome(Seen(log.encode()), "log") == [
        "2024-01-01 10:00:04 ERROR query took 3 ms",
        "2024-01-01 10:00:08 INFO query took 3 ms",
    ]


@pytest.mark.parametrize("finer", ["markdown", "html", "man", "grep"])
def test_of_a_document_the_very_last_line_alone_counts(finer: str) -> None:
    words = b"Words.\n\nERROR: an example of it\n\nMore words.\n"
    assert read_outcome(Seen(words), finer) == []
    assert read_outcome(Seen(words + b"[exit code: 1]\n"), finer) == ["[exit code: 1]"]


def test_the_end_is_found_behind_a_million_blank_lines() -> None:
    assert read_outcome(Seen(b"work\nexit code 2\n" + b" \n" * 1_000_000)) == ["exit code 2"]


def test_a_long_line_of_data_tells_nothing() -> None:
    assert outcome_of("x" * 5000 + " exit code 2 " + "y" * 5000) == []


@pytest.mark.parametrize("passed", ["--- PASS: TestOk (0.00s)", "PASS src/c.test.ts", "test tests::ok ... ok"])
def test_a_test_that_passed_is_no_news_beside_one_that_failed(passed: str) -> None:
    assert outcome_of(f"FAIL\nFAIL\tshop\t0.01s\n{passed}\nFAIL\n") == ["FAIL\tshop\t0.01s", "FAIL"]
