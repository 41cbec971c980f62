"""`coatcheck doctor` where no server can be asked."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from coatcheck.cli import main


def doctor(folder: Path, *argv: str, **environment: str) -> Result:
    return CliRunner(env={"XDG_DATA_HOME": str(folder), **environment}).invoke(main, ["doctor", *argv])


def test_settings_that_are_none_are_a_finding(tmp_path: Path) -> None:
    config = tmp_path / "c.yaml"
    config.write_text("result: {treshold: 4}\n")
    result = doctor(tmp_path, "--config", str(config))
    assert result.exit_code == 1
    assert "fail  settings      unknown setting 'result.treshold'" in result.stdout
    assert "did you mean 'result.threshold'?" in result.stdout


@pytest.mark.parametrize("name", ["COATCHECK_RESULT_THRESHOLD", "COATCHECK_RESULT__TRESHOLD", "COATCHECK_NONSENSE"])
def test_a_variable_that_is_no_setting_is_a_finding(tmp_path: Path, name: str) -> None:
    result = doctor(tmp_path, **{name: "1"})
    assert result.exit_code == 1
    assert f"(from {name})" in result.stdout


def test_without_any_server_it_says_to_name_one(tmp_path: Path) -> None:
    result = doctor(tmp_path)
    assert result.exit_code == 1
    assert "fail  nats          nats.url is not set" in result.stdout
    assert "name the server: --set nats.url=nats://HOST:4222" in result.stdout
    assert "set storage.endpoint" in result.stdout
    assert "1 failing" in result.stderr


def test_quiet_leaves_the_summary_out(tmp_path: Path) -> None:
    assert doctor(tmp_path, "--quiet").stderr == ""


@pytest.mark.parametrize("text", ["nowhere.nk", ""])
def test_credentials_that_cannot_be_read_are_a_login_that_fails(tmp_path: Path, text: str) -> None:
    file = tmp_path / "agent.creds"
    if not text:
        file.write_text("no credentials")
    result = doctor(tmp_path, "--set", "nats.url=nats://h:1", "--set", f"nats.creds_file={file}")
    assert "fail  login         " in result.stdout
    assert "nats.creds_file" in result.stdout


def test_an_administrator_without_storage_settings_is_told_what_is_not_looked_at(tmp_path: Path) -> None:
    result = doctor(tmp_path, "--set", "nats.url=nats://127.0.0.1:1")
    assert "warn  settings" in result.stdout
    assert "object storage is not looked at" in result.stdout
