"""Mistakes, and what each is told: what is wrong in one line on standard error, and what to do."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from coatcheck.cli import main
from coatcheck.cli.failures import to_failure
from coatcheck_schemas.errors import Code, RequestError

NO_SERVER = "run `coatcheck up`"
REF = "coat://s/c-0123456789abcdef0123456789abcdef"

MISTAKES = [
    (("raed", "x"), 2, "did you mean 'read'?"),
    (("nothing-like-it",), 2, "known: up, "),
    (("read",), 2, "(see coatcheck read --help)"),
    (("read", "x", "--limt", "3"), 2, "'--limit'"),
    (("read", "x", "--limit", "0"), 2, "-1 for all"),
    (("read", "x", "--numbered", "--unit", "chars"), 2, "--unit lines"),
    (("read", "coat://a"), 1, "coat://SESSION/RESULT_ID"),
    (("read", ""), 1, "it looks like coat://"),
    (("read", REF), 1, NO_SERVER),
    (("list", "--kind", "python"), 2, "'code'"),
    (("list", "--since", "yesterday"), 2, "as 2h, 7d"),
    (("config", "--set", "storage.layout={bogus}"), 2, "there are session, turn"),
    (("config", "--set", "storage.layout=files/{result_id}"), 2, "own files lie"),
    (("list", "--set", "nats.url=http://x"), 1, "it looks like nats://HOST:4222"),
    (("list", "--set", "nats.url=nats://127.0.0.1:1"), 1, "`coatcheck doctor` finds out why"),
    (("search", "x", "--limit", "1001"), 2, "1<=x<=1000"),
    (("publish", "/no/such"), 2, "or - for standard input"),
    (("publish", "/"), 2, "or - for standard input"),
    (("publish", "-", "--turn-size", "3"), 2, "goes with --turn"),
    (("publish", "-", "--upload"), 2, "in pieces"),
    (("exec",), 2, "-- CMD"),
    (("delete",), 2, "--all for all of the session"),
    (("delete", REF), 2, "say --yes"),
    (("turn", "end", ""), 2, "no turn"),
    (("clear", "/no/such"), 2, "or - for standard input"),
    (("clear", "--local", "-"), 1, '[{"role": ...}, ...]'),
    (("synopsis", "/no/such"), 1, "or - for standard input"),
    (("tools", "--names", "nothing"), 2, "the names are tool_result_read"),
    (("config", "--set", "nothing"), 2, "as result.threshold=40"),
    (("config", "--set", "result.treshold=1"), 2, "did you mean 'result.threshold'?"),
    (("config", "--set", "a.b=1"), 2, "`coatcheck config` shows all"),
    (("config", "--config", "/no/such"), 2, "correct --config"),
    (("completion", "tcsh"), 2, "'bash', 'zsh', 'fish'"),
    (("fs", "read"), 2, "(see coatcheck fs read --help)"),
    (("fs", "write", "a", "/no/such"), 2, "or - for standard input"),
    (("link", REF, "--expires", "0"), 2, "1<=x<="),
    (("dlq", "list"), 1, NO_SERVER),
    (("dlq", "retry"), 2, "or say --all"),
    (("dlq", "show", "0"), 2, "(see coatcheck dlq show --help)"),
    (("dlq", "list", "--set", "nats.url=nats://127.0.0.1:1"), 1, "`coatcheck doctor` finds out why"),
    (("provision",), 1, NO_SERVER),
    (("worker",), 1, NO_SERVER),
    (("top",), 1, NO_SERVER),
    (("top", "--interval", "0"), 2, "0.2<=x<="),
    (("up", "--workers", "0"), 2, "1<=x<=64"),
    (("up", "--ready-file", "/no/such/ready"), 2, "does not exist"),
    (("up", "--data-dir", "/dev/null/x"), 1, "this user may use it"),
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("argv", "code", "advice"), MISTAKES, ids=lambda value: str(value)[:40])
def test_a_mistake_is_told_in_one_line_with_what_to_do(argv: tuple[str, ...], code: int, advice: str) -> None:
    done = CliRunner().invoke(main, argv, input="")
    assert (done.exit_code, done.stdout) == (code, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert advice in done.stderr


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (Code.NOT_FOUND, "`coatcheck list`"),
        (Code.UNAVAILABLE, "`coatcheck doctor`"),
        (Code.INTERNAL, "logs"),
    ],
)
def test_what_a_worker_cannot_know_of_the_command_line_is_added(code: Code, advice: str) -> None:
    assert advice in to_failure(RequestError(code, "something")).message


def test_advice_that_is_there_already_is_not_said_twice() -> None:
    assert to_failure(RequestError(Code.UNAVAILABLE, "run `coatcheck up`")).message == "unavailable: run `coatcheck up`"


def test_a_file_that_cannot_be_used_is_named_with_what_to_see_to() -> None:
    failure = to_failure(FileNotFoundError(2, "No such file or directory", "/a/b"))
    assert failure.message.startswith("/a/b: No such file or directory; see that")


def test_an_unknown_failure_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        to_failure(ZeroDivisionError())


def test_a_usage_error_names_the_command_whose_help_to_see() -> None:
    context = click.Context(main.get_command(click.Context(main), "read") or main, info_name="coatcheck read")
    assert "(see coatcheck read --help)" in to_failure(click.UsageError("x", context)).message
