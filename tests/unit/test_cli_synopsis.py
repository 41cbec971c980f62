"""`coatcheck synopsis`: many files at once, each told by its name, and whatever is wrong with one costs no other."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click.testing
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from coatcheck.cli import main
from coatcheck.cli.commands import synopsis as command
from coatcheck.cli.options import GIVE_A_FILE
from coatcheck_core.encodings import text_size
from coatcheck_core.lines import count_lines
from coatcheck_core.synopsis import synopsize

MB = 1_000_000


def run(*args: str | Path, **options: Any) -> click.testing.Result:
    return CliRunner().invoke(main, ["synopsis", *map(str, args)], env={"COATCHECK_SESSION": ""}, **options)


def told(*args: str | Path, **options: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run("--json", *args, **options).stdout.splitlines()]


def files(folder: Path, **contents: bytes) -> list[Path]:
    made = [folder / name for name in contents]
    for path, content in zip(made, contents.values(), strict=True):
        path.write_bytes(content)
    return made


def test_many_files_have_a_line_each_in_their_order(tmp_path: Path) -> None:
    made = files(tmp_path, **{f"f{number}": b"{}" * (number + 1) for number in range(60)})
    lines = told(*made)
    assert [line["file"] for line in lines] == [str(path) for path in made]
    assert all(list(line) == ["file", "kind", "format", "synopsis", "stub"] for line in lines)


def test_people_are_told_which_of_several_files_it_is(tmp_path: Path) -> None:
    first, second = files(tmp_path, a=b"words\n", b=b"a,b\n1,2\n3,4\n")
    shown = run(first, second).stdout
    assert shown.startswith(f"==> {first} <==\n[Coatcheck: tool result offloaded]\ntool_name: a\n")
    assert f"\n==> {second} <==\n[Coatcheck: tool result offloaded]\ntool_name: b\nkind: csv\n" in shown
    assert "==>" not in run(first).stdout


def test_a_folder_and_a_file_that_is_missing_are_told_and_passed_over(tmp_path: Path) -> None:
    (good,) = files(tmp_path, good=b"words\n")
    result = run("--json", tmp_path, tmp_path / "none", good)
    assert result.exit_code == 1
    assert [json.loads(line)["file"] for line in result.stdout.splitlines()] == [str(good)]
    assert (
        result.stderr == f"error: {tmp_path}: Is a directory; {GIVE_A_FILE}\n"
        f"error: {tmp_path / 'none'}: No such file or directory; {GIVE_A_FILE}\n"
    )


def test_a_file_that_is_too_large_is_told_and_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "MOST_BYTES", 10)
    large, good = files(tmp_path, large=b"x" * 11, good=b"x" * 10)
    result = run("--json", large, good)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {large}: it has more than 10 bytes, and is not read: publish it")
    assert len(result.stdout.splitlines()) == 1


def test_what_never_ends_is_read_up_to_the_same_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "MOST_BYTES", 10_000)
    assert "more than 10000 bytes" in run("/dev/zero").stderr
    assert "more than 10000 bytes" in run("-", input="x" * 10_001).stderr


def test_a_declared_type_counts(tmp_path: Path) -> None:
    (broken,) = files(tmp_path, broken=b"{nope")
    assert [line["kind"] for line in told(broken)] == ["text"]
    (declared,) = told("--mime-type", "application/json", broken)
    assert (declared["kind"], declared["synopsis"]["facts"]["why"]) == ("unknown", "declared_type")


@pytest.mark.skipif(sys.platform == "darwin", reason="its file names are UTF-8")
def test_a_file_s_name_may_be_any_bytes(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff\nb"))
    path.write_bytes(b"words\n")
    (line,) = told(path)
    assert line["file"] == f"{tmp_path}/a\ufffd\nb"
    assert "\ntool_name: a\ufffd\\nb\n" in line["stub"]
    assert "tool_name: a\ufffd\\nb\n" in run(path).stdout


def test_the_style_that_is_set_is_the_one_that_is_shown(tmp_path: Path) -> None:
    (path,) = files(tmp_path, log=b"step\n" * 5000)
    lines = run(path, "--set", "stub.style=lines", "--set", "stub.lines=3").stdout
    assert lines.startswith("Tool result too large: 25000 characters in 5000 lines from log, call file.")
    assert "First 3 of 5000 lines" in lines
    own = run(path, "--set", "stub.style=tests.support.stub_styles:brief").stdout
    assert own.startswith("log gave 25000 chars: tool_result_read coat://local/file-")


def test_a_style_that_fails_is_told_and_the_typed_stub_shown(tmp_path: Path) -> None:
    result = run(*files(tmp_path, log=b"step\n" * 5000), "--set", "stub.style=tests.support.stub_styles:failing")
    assert result.stdout.startswith("[Coatcheck: tool result offloaded]\n")
    assert "KeyError: 'no such fact'" in result.stderr
    assert result.exit_code == 0


def test_an_unknown_style_is_an_error_that_names_the_setting(tmp_path: Path) -> None:
    result = run(*files(tmp_path, log=b"step\n"), "--set", "stub.style=none.such:f")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: stub.style 'none.such:f': the module 'none.such' cannot be imported")


def process(*args: str | Path) -> "subprocess.Popen[bytes]":
    argv = [sys.executable, "-m", "coatcheck", "synopsis", "--json", *map(str, args)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def test_whoever_reads_no_further_is_left_in_peace(tmp_path: Path) -> None:
    made = files(tmp_path, **{f"f{number}": b"word\n" * 900 for number in range(400)})
    with process(*made) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline().startswith(b'{"file":')
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 1


def peak_bytes(path: Path) -> int:
    running = process(path)
    assert running.stdout is not None
    assert running.stderr is not None
    with running.stdout as output, running.stderr:
        assert output.read().startswith(b'{"file":')
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0
    return usage.ru_maxrss * (1024 if sys.platform == "linux" else 1)


def test_a_file_takes_its_size_and_once_more(tmp_path: Path) -> None:
    """As `str` this one would take four times its chars; what a person sees of it is another text than the file."""
    line = "\x1b[32mok\x1b[0m \U0001f9e5 a line of words\n".encode()
    small, large = files(tmp_path, small=line, large=line * (30 * MB // len(line)))
    assert peak_bytes(large) - peak_bytes(small) < 2 * 30 * MB + 30 * MB


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60) | st.text(st.sampled_from("a\n\r\u2028é漢😀"), max_size=60).map(str.encode))
def test_chars_and_lines_are_counted_as_of_the_text(data: bytes) -> None:
    assume(not data.startswith((b"\xff\xfe", b"\xfe\xff")))
    try:
        text = data.decode()
    except UnicodeDecodeError:
        assert text_size(data) is None
    else:
        assert text_size(data) == (len(text), count_lines(text), "utf-8")


def test_the_synopsis_is_the_one_that_the_library_gives(tmp_path: Path) -> None:
    (path,) = files(tmp_path, data=b'{"a": [1, 2]}')
    (line,) = told(path)
    synopsis = synopsize(path.read_bytes())
    assert (line["kind"], line["format"], line["synopsis"]["facts"]["length"]) == (synopsis.kind, synopsis.format, 1)
