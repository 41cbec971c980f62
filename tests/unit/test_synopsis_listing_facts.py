"""What is told of listings and tables for people, as real tools print them: names whole, only their rows counted."""

import pytest

from coatcheck_core.synopsis import synopsize
from coatcheck_schemas.synopsis import Detail, TextFacts

INSTALLED = (
    "Desired=Unknown/Install/Remove/Purge/Hold\n| Status=Not/Inst/Conf-files/Unpacked/halF-conf/Half-inst\n"
    "|/ Err?=(none)/Reinst-required (Status,Err: uppercase=bad)\n"
    "||/ Name           Version      Architecture Description\n"
    "+++-==============-============-============-=================================\n"
)
FOLDERS = (
    "/etc:\ntotal 20\ndrwxr-xr-x 3 root root 4096 Nov 29 20:19 .\ndrwxr-xr-x 1 root root 4096 Nov 29 20:19 ..\n"
    "-rw-r--r-- 1 root root  120 Jan  1  2024 hosts\ndrwxr-xr-x 2 root root 4096 Nov 29 20:19 ssl\n"
    "\n/etc/ssl:\ntotal 8\ndrwxr-xr-x 2 root root 4096 Nov 29 20:19 .\ndrwxr-xr-x 3 root root 4096 Nov 29 20:19 ..\n"
    "lrwxrwxrwx 1 root root   12 Jan  1  2024 a b.pem -> ../x/b.pem\n"
)
PROCESSES = "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n" + "".join(
    f"root     {number:>7}  0.{number % 9}  1.0 {number + 9000:>6} {number + 1000:>5} ?        Ss   20:1{number % 10}"
    f"   0:00 /bin/x{number}\n"
    for number in range(10, 40)
)
DISKS = (
    "Filesystem      Size  Used Avail Use% Mounted on\noverlay          97G   41G   57G  42% /\n"
    "tmpfs            64M     0   64M   0% /dev\nshm              64M  4.0K   64M   1% /dev/shm\n"
)
COVERAGE = (
    "Name         Stmts   Miss  Cover\n--------------------------------\n"
    + "".join(f"src/a{number:03}.py   {number + 100}     {number % 9}    9{number % 10}%\n" for number in range(30))
    + "--------------------------------\nTOTAL         3435     99    95%\n"
)
DESCRIBED = (
    "Name:         web-1\nNamespace:    default\nContainers:\n  web:\n    State:  Waiting\n"
    "      Reason:  CrashLoopBackOff\n    Last State:  Terminated\n      Reason:  OOMKilled\n    Environment:\n"
    + "".join(f"      VAR{number}:  v{number}\n" for number in range(600))
    + "Events:\n  Type     Reason   Age   From     Message\n  ----     ------   ----  ----     -------\n"
    "  Warning  BackOff  2m    kubelet  Back-off restarting\n"
)
BLAME = "".join(
    f"010c503f{number % 2} ({author} 2026-11-{day} 20:19:01 +0000 {number}) code {number}\n"
    for number, (author, day) in enumerate([("A B", 29), ("A B", 30), ("李 C", 12)] * 4, 1)
)


def details_of(text: str, finer: str | None) -> list[Detail]:
    synopsis = synopsize(text.encode())
    assert (synopsis.kind, synopsis.format) == ("text", finer)
    assert isinstance(synopsis.facts, TextFacts)
    return synopsis.facts.details


def named(details: list[Detail]) -> dict[str, tuple[int | None, list[str]]]:
    return {detail.name: (detail.count, detail.values) for detail in details}


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        (PROCESSES, "USER|PID|%CPU|%MEM|VSZ|RSS|TTY|STAT|START|TIME|COMMAND", 30),
        (DISKS, "Filesystem|Size|Used|Avail|Use%|Mounted on", 3),
        (COVERAGE, "Name|Stmts|Miss|Cover", 30),
        (
            INSTALLED
            + "".join(f"ii  lib{number:03}         1.{number}          amd64        a b c\n" for number in range(9)),
            "||/|Name|Version|Architecture|Description",
            9,
        ),
        (
            "CONTAINER ID   IMAGE     CREATED       STATUS\n0a1b2c3d4e5f   nginx     2 hours ago   Up 2 hours\n"
            "1a1b2c3d4e5f   redis     3 hours ago   Up 3 hours\n2a1b2c3d4e5f   pg        3 hours ago   Up 3 hours\n",
            "CONTAINER ID|IMAGE|CREATED|STATUS",
            3,
        ),
        (
            "LAST SEEN   TYPE      REASON    OBJECT\n2m          Normal    Pulled    pod/a\n"
            "3m          Warning   BackOff   pod/b\n4m          Normal    Killed    pod/c\n",
            "LAST SEEN|TYPE|REASON|OBJECT",
            3,
        ),
    ],
)
def test_columns_have_their_whole_names_and_rows_are_counted_alone(text: str, columns: str, rows: int) -> None:
    told = named(details_of(text, "table"))
    assert "|".join(told["columns"][1]) == columns
    assert told["rows"] == (rows, [])


def test_names_between_bars_without_a_rule_are_columns_and_a_last_line_is_no_row() -> None:
    rows = "".join(f"import time: {number:9} | {number * 2:10} | mod{number}\n" for number in range(690))
    text = f"import time: self [us] | cumulative | imported package\n{rows}FAILED: 2 of 41 tests\n"
    told = named(details_of(text, "table"))
    assert told["columns"][1] == ["import time: self [us]", "cumulative", "imported package"]
    assert told["rows"] == (690, [])


def test_a_total_above_a_long_listing_is_no_row() -> None:
    lines = "".join(f"-rw-r--r-- 1 root root  {number} Jan  1  2024 file{number}\n" for number in range(100, 140))
    assert details_of(f"total 40\n{lines}", "table") == [Detail(name="rows without a header", count=40)]


def test_a_recursive_long_listing_counts_what_is_in_its_folders() -> None:
    told = named(details_of(FOLDERS, "ls-recursive"))
    assert told == {"entries without . and ..": (3, []), "folders": (2, ["/etc", "/etc/ssl"])}


@pytest.mark.parametrize("text", [DESCRIBED, DESCRIBED[60:]])
def test_a_description_of_names_and_values_is_no_table(text: str) -> None:
    assert details_of(text, None) == []


def test_blame_tells_whose_the_lines_are() -> None:
    assert named(details_of(BLAME, "git-blame")) == {
        "lines": (12, []),
        "authors, by lines": (2, ["A B 8", "李 C 4"]),
        "written from, to": (None, ["2026-11-12", "2026-11-30"]),
    }


def test_sizes_before_paths_are_no_line_numbers() -> None:
    assert details_of("4\t/etc/x\n8\t/etc/y\n4\t/etc/z\n16\t/etc\n", None) == []


def test_numbered_lines_may_leave_blank_ones_out() -> None:
    numbered = "".join(f"{number:6}\tline {number}\n" if number % 3 else f"{number:6}\t\n" for number in range(1, 30))
    assert named(details_of(numbered, "numbered-lines"))["lines"] == (29, [])


def test_pinned_packages_are_told_with_their_versions() -> None:
    text = "annotated-types==0.7.0\nhttpx[http2]==0.27.0\n-e git+https://x/y@1#egg=z\nruff==0.5.1\n"
    assert details_of(text, "requirements") == [
        Detail(name="packages", count=3, values=["annotated-types==0.7.0", "httpx[http2]==0.27.0", "ruff==0.5.1"])
    ]
