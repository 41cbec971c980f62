"""What test runners and compilers say."""

import re

from coatcheck_core.synopsis.blocks import found_in
from coatcheck_core.synopsis.bounds import clip
from coatcheck_core.synopsis.seen import Seen
from coatcheck_schemas.synopsis import Detail

from .assertions import wrong_details
from .counting import Tally, text
from .probe import Format, Probe

_SHOWN_FAILURES = 8
_SHOWN_PROBLEMS = 3
_TEST_HEAD = re.compile(
    r"=+ test session starts =+|=== RUN\s|--- (?:PASS|FAIL|SKIP):|running \d+ tests?$|test \S+ \.\.\. (?:ok"
    r"|FAILED|ignored)$|TAP version \d+"
    r"|(?:not )?ok \d+\b|(?:PASS|FAIL)\s+\S+\.(?:[jt]sx?|mjs)\b|\s*(?:✓|✔|✖|✗|✘|✕|×)\s+\S|# Subtest: "
    r"|\[INFO\]\s+T E S T S|\[ RUN      \]"
    r"|\[==========\] Running|ok  \t\S+\t|FAIL\t\S+\t|\w+ \([\w.]+\)(?:\n.*)? \.\.\. (?:ok|FAIL|ERROR)"
    r"|[\w./-]+\.py(?:::\S+)? [.FEsxX]+\s*(?:\[\s*\d+%\])?$"
    r"|Failed examples:$|rspec \./\S+:\d+ # "
    r"|\S+\.py::\S+ (?:PASSED|FAILED|ERROR|SKIPPED)|\?\s+\t\S+\t\[no test files\]|=+ (?:FAILURES|ERRORS"
    r"|short test summary info) =+|[.FEsx]{10,}(?:\s*\[\s*\d+%\])?$"
)
_TEST_TAIL = re.compile(
    r"=+ .{0,80}\b\d+ (?:passed|failed|errors?|skipped)\b.{0,100} =+$|\d+ (?:passed"
    r"|failed)(?:, \d+ \w+)* in [\d.]+s|Ran \d+ tests? in [\d.]+s"
    r"|(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\))$|test result: (?:ok|FAILED)\.|Tests:\s+\d+|Test Suites:"
    r"|Tests run: \d+|\d+ examples?, \d+ failures?"
    r"|[#ℹ] (?:tests|pass|fail) \d+|\s*\d+ (?:passing|failing)\b|OK \(\d+ tests?|Tests: \d+, Assertions"
)
_FAILED = re.compile(
    rb"\n(?:(?:FAILED|ERROR) (\S+(?:::|\.py)[^\n]{0,150}?)(?: - [^\n]*)?\r?(?=\n|\Z)|(\S+\.py::\S+) (?:FAILED"
    rb"|ERROR)\b|[ ]{0,8}--- FAIL: (\S+)"
    rb"|test (\S+) \.\.\. FAILED|not ok \d+(?: -)? ([^\n#]{1,150})|(?:FAIL|ERROR): (\w+ \([^\n)]{1,150}\))"
    rb"|[ ]+\xe2\x97\x8f ([^\n]{1,150})"
    rb"|\[  FAILED  \] (\w+\.\w+)(?= \(\d+ ms\))"
    rb"|[ ]{0,20}\xe2\x9c\x96 (?!failing tests)([^\n]{1,150}?)(?: \([\d.]{1,12}m?s\))?\r?(?=\n|\Z)"
    rb"|rspec \./\S{1,200}:\d+ # ([^\n]{1,150}))"
)
_PROBLEM = re.compile(
    r"(?:[A-Za-z]:)?[^\s:()][^:()\n]{0,250}(?::\d+(?::\d+)?(?:-\d+)?|\(\d+(?:,\d+)?\)):?\s+(?:fatal )?(?:error"
    r"|warning|note|info|remark)\b"
    r"|(?:error|warning)(?:\[[\w-]+\])?: \S|\s*--> \S+:\d+:\d+|[^\s:]{1,250}\.java:\d+: (?:error|warning):"
    r"|(?:vet: )?\.{0,2}/?[\w./-]+\.go:\d+:\d+: \S"
    r"|[\w./-]+: In (?:function|member function|constructor|file)|In file included from"
    r"|\s*(?:File \"[^\"]+\", line \d+)$|[\w./@+-]+\.py:\d+(?::\d+)?: (?:error|note|[A-Z]+\d+ )"
    r"|\s+\d+:\d+\s+(?:error|warning)\s+\S"
)
_LEAST_STEPS = 3
_MOST_ABOVE = 8
_GRADLE = re.compile(
    r"> Task :|BUILD (?:FAILED|SUCCESSFUL) in |FAILURE: Build |\d+ actionable tasks?:|\* What went wrong:"
)
_GRADLE_WORDS = ("> Task :", "BUILD ", "FAILURE: Build ", "actionable task", "* What went wrong:")
_LEAST_GRADLE = 2
_STEP = re.compile(
    r"\s*\[\s*\d+(?:/\d+|%)\]\s\S|\s*(?:Compiling|Building|Linking|Downloading|Downloaded|Fetching|Installing"
    r"|Generating|Checking)"
    r"\s\S|\s+(?:CC|CXX|LD|AR|GEN|AS)(?:\s\[M\])?\s+\S|(?:\S*/)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|javac"
    r"|rustc|ld|ar)\s+-"
    r"|make(?:\[\d+\])?: |(?:#\d+ |=> )|Step \d+/\d+ : "
)
"""What a build says it is doing."""
_PROBLEM_WORDS = ("error", "warning", ".go:", ".py:", "In file included")
_CONTEXT = re.compile(
    r"\s|\d*\s*\||# |make(?:\[\d+\])?:|Found \d+|\d+ (?:errors?|warnings?)|[A-Z]\w+: |error: aborting"
    r"|For more info|Some errors|cc1|collect2|\[\d+/\d+\]|gcc |g\+\+ |cc |/usr/bin/"
)
_FOUND_PROBLEM = re.compile(
    rb"\n([^\n]{0,300}?[ \t:(\d](error|warning|ERROR|WARNING)(?:\[[\w-]+\]| TS\d+)?(?::|[ \t]{2})[^\n]{0,300}"
    rb"|(error|warning|ERROR|WARNING)(?:\[[\w-]+\])?: [^\n]{0,300})"
)
_GO_PROBLEM = re.compile(rb"\n((?:vet: )?\.{0,2}/?[\w./-]{1,200}\.go:\d+:\d+: [^\n]{0,300})")


def is_test_report(probe: Probe) -> bool:
    """A runner's own marks at the head, or its total at the end with failures or marks before it."""
    head = sum(_TEST_HEAD.match(line) is not None for line in probe.bare) if probe.may_have(_TEST_HEAD) else 0
    tail = any(map(_TEST_TAIL.match, probe.tail[-25:]))
    if head >= 1 and _TEST_HEAD.match(probe.bare[0]):
        return head >= 2 or tail
    return head >= 3 or (tail and (head >= 1 or any(map(_TEST_HEAD.match, probe.tail))))


def test_details(seen: Seen) -> list[Detail]:
    """The names of what failed, each once, and the runner's total."""
    failed = Tally()
    for window in seen.windows():
        found = found_in(window, _FAILED)
        failed.add(next(name for name in names if name).strip() for names in found)
    totals = [line.strip("= ") for line in Probe(seen).tail if _TEST_TAIL.match(line)]
    return [
        *failed.detail("failed", _SHOWN_FAILURES, counted=False),
        *wrong_details(seen),
        *([Detail(name="total", values=[clip(total) for total in totals[-3:]])] if totals else []),
    ]


def is_build(probe: Probe) -> bool:
    """A compiler's or a linter's complaints, and what it shows of the source."""
    lines = probe.bare
    if len(lines) >= _LEAST_STEPS and probe.mostly(_STEP, 0.6):
        return True
    if probe.holds(*_GRADLE_WORDS) and sum(_GRADLE.match(line) is not None for line in lines) >= _LEAST_GRADLE:
        return True
    if not probe.holds(*_PROBLEM_WORDS):
        return False
    if not probe.may_have(_PROBLEM) or not any(map(_PROBLEM.match, lines[: _MOST_ABOVE + 1])):
        return False
    problems = sum(_PROBLEM.match(line) is not None for line in lines)
    context = sum(_CONTEXT.match(line) is not None for line in lines)
    return problems + context >= 0.85 * len(lines) and problems >= 0.08 * len(lines)


def build_details(seen: Seen) -> list[Detail]:
    """How many errors and warnings, and the first errors; or the first complaints of one that ranks none."""
    errors: list[bytes] = []
    counts = {b"error": 0, b"warning": 0}
    go: list[bytes] = []
    go_count = 0
    for window in seen.windows():
        for line, inner, leading in found_in(window, _FOUND_PROBLEM):
            rank = (inner or leading).lower()
            counts[rank] += 1
            if rank == b"error" and len(errors) < _SHOWN_PROBLEMS:
                errors.append(line)
        found = found_in(window, _GO_PROBLEM) if b".go:" in window.text else []
        go_count += len(found)
        go = go or found[:_SHOWN_PROBLEMS]
    if not any(counts.values()):
        return [Detail(name="complaints", count=go_count, values=[text(line) for line in go])] if go else []
    told = [Detail(name="errors", count=counts[b"error"], values=[text(line) for line in errors])]
    return [*told, Detail(name="warnings", count=counts[b"warning"])]


TEST_REPORT = Format("test-report", is_test_report, test_details)
BUILD = Format("build", is_build, build_details)
