"""The group: its commands, its settings layers, its errors as one line."""

import json
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from coatcheck.cli import group, main
from coatcheck.cli.contents import CLIENT_COMMANDS, SERVER_COMMANDS
from coatcheck.cli.failures import Failure, to_failure
from coatcheck_core.settings import Settings
from coatcheck_schemas.errors import CoatcheckError, Code, RequestError

Seen = list[tuple[Settings, dict[str, str]]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No configuration of whoever runs the tests reaches them."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for name in ("COATCHECK_SESSION", "COATCHECK_NATS__URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def run(*argv: str, **environment: str) -> Result:
    return CliRunner(env=environment).invoke(main, argv)


def joined(monkeypatch: pytest.MonkeyPatch, name: str) -> Seen:
    """A server command that joins through the entry-point group, and the settings that it was given."""
    seen: Seen = []

    @click.command(name)
    def command() -> None:
        seen.append(click.get_current_context().obj.settings())

    class Point:
        value = "somewhere:command"

        def load(self) -> click.Command:
            return command

    point: Any = Point()
    point.name = name
    monkeypatch.setattr(group, "_server_entry_points", lambda: {name: point})
    return seen


def write_ready(home: Path, **changes: str) -> Path:
    path = home / "coatcheck" / "ready.json"
    path.parent.mkdir()
    fields = {"nats_url": "nats://u:p@127.0.0.1:7", "s3_endpoint": "http://127.0.0.1:8", "s3_access_key": "key"}
    path.write_text(json.dumps({**fields, "s3_secret_key": "hush", "s3_bucket": "coats", **changes}))
    return path


def test_help_lists_every_command_with_its_line() -> None:
    lines = run("--help").output
    for name, line in {**CLIENT_COMMANDS, **SERVER_COMMANDS}.items():
        assert f"  {name} " in lines
        assert line.split()[0] in lines


@pytest.mark.parametrize("name", [*CLIENT_COMMANDS, *SERVER_COMMANDS])
def test_every_command_loads_and_takes_the_settings_options(name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    assert "--config FILE" in result.output
    assert result.output.count("--set KEY=VALUE") == 1


@pytest.mark.parametrize(
    "argv",
    [
        ("nothing",),
        ("config", "--nothing"),
        ("read",),
        ("exec",),
        ("config", "--set", "result.treshold=4"),
        ("config", "--set", "result.threshold=many"),
        ("config", "--config", "/no/such/file"),
        ("config", "--set", "nothing"),
        ("list", "--order", "sideways"),
        ("list", "--limit", "0"),
        ("list", "--kind", "python"),
        ("search", "x", "--context", "-1"),
        ("search", "x", "--limit", "1001"),
        ("read", "x", "--limit", "0"),
        ("read", "x", "--numbered", "--unit", "chars"),
        ("exec", "--call", "c" * 5000, "--", "no-such-command-anywhere"),
        ("publish", "-", "--session", "s" * 5000),
        ("publish", "-", "--turn-size", "3"),
        ("publish", "-", "--turn", "t", "--turn-size", "0"),
        ("turn", "nothing"),
        ("turn", "end"),
        ("turn", "end", ""),
        ("turn", "end", "t", "--size", "1001"),
        ("dlq", "nothing"),
        ("dlq", "show"),
        ("dlq", "show", "0"),
        ("dlq", "show", "1", "--raw", "--json"),
        ("dlq", "retry"),
        ("dlq", "retry", "1", "--all"),
        ("dlq", "drop", "1", "--reason", "x"),
    ],
    ids=lambda argv: " ".join(argv)[:40],
)
def test_wrong_usage_is_one_line_and_2(argv: tuple[str, ...]) -> None:
    result = run(*argv)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("error: ")


def test_without_arguments_the_help_is_shown_as_it_is() -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == run("--help").stdout.splitlines()


def test_only_a_requests_error_bears_a_code() -> None:
    class Ended(CoatcheckError):
        code = 1

    assert to_failure(Ended("nats-server ended")) == Failure("nats-server ended", 1)
    assert to_failure(RequestError(Code.GONE, "deleted")) == Failure("gone: deleted", 1)


def test_an_error_speaks_of_options_and_not_of_fields() -> None:
    error = RequestError(Code.INVALID_ARGUMENT, "this is not text: read it with unit=bytes, which gives base64")
    assert to_failure(error).message == "invalid_argument: this is not text: read it with --unit bytes"


def test_a_missing_file_is_looked_for_by_fs_ls_alone() -> None:
    there_is_none = RequestError(Code.NOT_FOUND, "there is no file or folder /a in this session: `ls` shows what is")
    assert to_failure(there_is_none).message == (
        "not_found: there is no file or folder /a in this session: `coatcheck fs ls` shows what is"
    )
    no_result = RequestError(
        Code.NOT_FOUND, "there is no result 'a' in this session: `ls /large_tool_result` shows all"
    )
    assert to_failure(no_result).message.endswith("session: `coatcheck fs ls /large_tool_result` shows all")


@pytest.mark.parametrize("argv", [("list",), ("exec", "--", "true")], ids=lambda argv: argv[0])
def test_a_workers_setting_given_to_a_client_is_warned_of(argv: tuple[str, ...]) -> None:
    settings = ("--set", "nats.url=nats://127.0.0.1:1", "--set", "result.threshold=4")
    told = run(argv[0], *settings, *argv[1:]).stderr.splitlines()
    assert told[0].startswith("warning: --set result.threshold has no effect here")
    assert told[1].startswith("error: unavailable: no NATS server answers at nats://127.0.0.1:1")


@pytest.mark.parametrize("argv", [("provision",), ("dlq", "list")], ids=lambda argv: argv[0])
def test_a_server_command_without_any_server_names_the_setting(argv: tuple[str, ...]) -> None:
    result = run(*argv)
    assert (result.exit_code, result.stderr.startswith("error: nats.url is not set")) == (1, True)


def test_without_any_server_the_error_says_what_to_do() -> None:
    result = run("list")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: unavailable: no NATS server is configured")
    assert "`coatcheck up`" in result.stderr


def test_a_joined_command_gets_the_layers_in_their_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = joined(monkeypatch, "serve")
    config = tmp_path / "c.yaml"
    config.write_text("result: {threshold: 1}\nstub: {preview_chars: 2, max_chars: 700}\n")
    argv = ("--set", "stub.max_chars=900", "serve", "--config", str(config), "--set", "nats.prefix=a")
    assert run(*argv, COATCHECK_STUB__PREVIEW_CHARS="3").exit_code == 0
    settings, origins = seen[0]
    assert (settings.result.threshold, settings.stub.preview_chars, settings.stub.max_chars) == (1, 3, 900)
    assert origins == {
        "result.threshold": str(config),
        "stub.preview_chars": "COATCHECK_STUB__PREVIEW_CHARS",
        "stub.max_chars": "--set",
        "nats.prefix": "--set",
    }


def test_the_ready_file_gives_the_servers_where_none_is_configured(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    path = write_ready(home)
    seen = joined(monkeypatch, "serve")
    assert run("serve", "--set", "storage.bucket=mine").exit_code == 0
    settings, origins = seen[0]
    assert settings.nats.url == "nats://u:p@127.0.0.1:7"
    assert (settings.storage.secret_key, settings.storage.bucket) == ("hush", "mine")
    assert origins["nats.url"] == origins["storage.endpoint"] == str(path)
    assert origins["storage.bucket"] == "--set"


def test_a_configured_server_leaves_the_ready_file_out(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    write_ready(home)
    seen = joined(monkeypatch, "serve")
    assert run("serve", "--set", "nats.url=nats://other").exit_code == 0
    assert (seen[0][0].nats.url, seen[0][0].storage.endpoint) == ("nats://other", "")


def test_up_does_not_look_for_another_up(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    write_ready(home)
    seen = joined(monkeypatch, "up")
    assert run("up").exit_code == 0
    assert seen[0][0].nats.url == ""


@pytest.mark.parametrize("text", ["", "{", "[]", '{"nats_url": 1}'])
def test_a_damaged_ready_file_is_named(home: Path, text: str) -> None:
    path = write_ready(home)
    path.write_text(text)
    result = run("config")
    assert result.exit_code == 2
    assert str(path) in result.stderr


@pytest.mark.parametrize(("name", "extra"), [("serve", "server"), ("worker", "server"), ("up", "embedded")])
def test_a_command_that_is_not_installed_names_the_extra_that_brings_it(
    monkeypatch: pytest.MonkeyPatch, name: str, extra: str
) -> None:
    point = EntryPoint(name, "no_such_module_anywhere:command", group.ENTRY_POINT_GROUP)
    monkeypatch.setattr(group, "_server_entry_points", lambda: {name: point})
    result = run(name)
    assert result.exit_code == 1
    assert result.stderr.endswith(f"pip install 'coatcheck[{extra}]'\n")


@pytest.mark.parametrize("fault", ["import coatcheck_core.not_there", "from coatcheck_core import not_there"])
def test_what_is_missing_of_our_own_code_is_a_fault(monkeypatch: pytest.MonkeyPatch, home: Path, fault: str) -> None:
    module = f"faulty_{fault.partition(' ')[0]}"
    (home / f"{module}.py").write_text(fault)
    monkeypatch.syspath_prepend(home)
    point = EntryPoint("worker", f"{module}:command", group.ENTRY_POINT_GROUP)
    monkeypatch.setattr(group, "_server_entry_points", lambda: {"worker": point})
    with pytest.raises(ImportError, match="not_there"):
        CliRunner().invoke(main, ["worker"], catch_exceptions=False)


def test_config_shows_origins_and_hides_secrets() -> None:
    argv = ("config", "--json", "--set", "storage.secret_key=hush", "--set", "nats.url=nats://u:hush@h:1")
    result = run(*argv, COATCHECK_TOOLS__CAT__NEVER="true")
    table = json.loads(result.output)
    assert "hush" not in result.output
    assert table["storage.secret_key"] == {"value": "********", "origin": "--set"}
    assert table["nats.url"]["value"] == "nats://u:********@h:1"
    assert table["tools.CAT.never"] == {"value": True, "origin": "COATCHECK_TOOLS__CAT__NEVER"}
    assert table["result.threshold"] == {"value": 20000, "origin": "default"}


def test_config_prints_a_table_for_people() -> None:
    result = run("config", "--set", "result.threshold=41", COLUMNS="120")
    lines = result.stdout.splitlines()
    assert all(line == line.rstrip() for line in lines)
    assert "a worker that runs already keeps those" in result.stderr
    assert any(line.split() == ["result.threshold", "41", "--set"] for line in lines)


def test_synopsis_prints_a_line_a_file_and_needs_no_server(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"key": [1, 2]}')
    (tmp_path / "b.bin").write_bytes(bytes(range(256)))
    result = run("synopsis", "--json", str(tmp_path / "a.json"), str(tmp_path / "none"), str(tmp_path / "b.bin"))
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 1
    assert [one["kind"] for one in told] == ["json", "unknown"]
    assert set(told[0]) == {"file", "kind", "format", "synopsis", "stub"}
    assert told[0]["stub"].startswith("[Coatcheck: tool result offloaded]\ntool_name: a.json\nkind: json\n")
    assert result.stderr.startswith("error: ")


def test_synopsis_reads_standard_input() -> None:
    result = CliRunner().invoke(main, ["synopsis", "-"], input='{"key": [1, 2]}')
    assert result.exit_code == 0
    assert result.stdout.startswith("[Coatcheck: tool result offloaded]\ntool_name: stdin\nkind: json\n")


def test_version_is_told() -> None:
    assert run("--version").output.startswith("coatcheck ")


def test_the_readme_has_a_row_for_every_command() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    table = readme.partition("## Commands")[2].partition("\n## ")[0]
    assert {name for name in {**CLIENT_COMMANDS, **SERVER_COMMANDS} if f"| `coatcheck {name}" not in table} == set()


def test_help_says_what_each_exit_code_is() -> None:
    shown = run("--help").output
    assert all(f"\n    {code}" in shown for code in ("0 ", "1 ", "2 ", "130 "))


def test_help_groups_the_commands_by_purpose_and_others_last(monkeypatch: pytest.MonkeyPatch) -> None:
    joined(monkeypatch, "serve")
    shown = run("--help").output
    titles = ["Try it:", "Results:", "Retrieval:", "Files and context:", "Operating:", "Others:"]
    assert [line for line in shown.splitlines() if line in titles] == titles
    assert shown.index("Others:") < shown.index("  serve")
    assert "up: pip install 'coatcheck[embedded]'" in shown
    assert "grant, dlq: pip install 'coatcheck[server]'" in shown
