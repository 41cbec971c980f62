"""What the doctor says of the machine, the settings and the files of secrets."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest

from coatcheck_core.settings import Settings
from coatcheck_workers.doctor.finding import Finding, worst
from coatcheck_workers.doctor.surroundings import machine_of, secret_file, secret_findings, settings_findings

SOUND = {"nats": {"url": "nats://h:1"}, "storage": {"endpoint": "http://h:2", "access_key": "k", "secret_key": "s"}}


def settings(**sections: dict[str, Any]) -> Settings:
    tree = {name: {**SOUND.get(name, {}), **sections.get(name, {})} for name in {*SOUND, *sections}}
    return msgspec.convert(tree, Settings)


def told(found: list[Finding]) -> str:
    return " ".join(f"{one.status}: {one.found} -> {one.mend}" for one in found)


@pytest.mark.parametrize(
    ("system", "files", "status", "mend"),
    [
        ("linux", 65536, "ok", ""),
        ("linux", -1, "ok", ""),
        ("linux", 256, "warn", "ulimit -n"),
        ("win32", 65536, "warn", "Linux"),
    ],
)
def test_a_machine_that_workers_may_run_on(system: str, files: int, status: str, mend: str) -> None:
    found = machine_of(system, "3.11.7", files)
    assert found.status == status
    assert mend in found.mend


def test_sound_settings_are_one_finding_that_says_where_they_are_from() -> None:
    (found,) = settings_findings(settings(), {"nats.url": "a.yaml", "storage.endpoint": "COATCHECK_STORAGE__ENDPOINT"})
    assert (found.status, found.found) == ("ok", "2 set, from COATCHECK_STORAGE__ENDPOINT, a.yaml")


@pytest.mark.parametrize(
    ("sections", "status", "words"),
    [
        ({"nats": {"url": "nats://u:p@h:1", "user": "v", "password_file": "f"}}, "warn", "take it out of nats.url"),
        ({"nats": {"password_file": "f"}}, "fail", "set nats.user"),
        ({"nats": {"user": "u"}}, "warn", "set nats.password_file"),
        ({"nats": {"creds_file": "c", "password_file": "f"}}, "warn", "keep one of them"),
        ({"nats": {"url": "http://h:1"}}, "fail", "correct nats.url"),
        ({"result": {"threshold": 200_000}}, "warn", "result.threshold the smaller"),
        ({"storage": {"retry_max_seconds": 500}}, "warn", "storage.retry_max_seconds the smaller"),
        ({"storage": {"endpoint": "", "access_key": "", "secret_key": ""}}, "warn", "set storage.endpoint"),
        ({"storage": {"secret_key_file": "f"}}, "warn", "keep the file"),
        ({"storage": {"secret_key": ""}}, "fail", "storage.access_key and its secret together"),
        (
            {"storage": {"url": "memory://", "endpoint": "", "access_key": "", "secret_key": ""}},
            "warn",
            "name a bucket or folder",
        ),
    ],
)
def test_what_contradicts_itself_is_named_with_what_to_do(sections: dict[str, Any], status: str, words: str) -> None:
    found = settings_findings(settings(**sections), {})
    assert (worst(found), len(found)) == (status, 1)
    assert words in told(found)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """One that everybody passes through; those of pytest are closed."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def test_a_secret_s_file_in_a_closed_folder_may_be_of_any_mode(open_folder: Path) -> None:
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    (closed / "secret").write_text("hush")
    (closed / "secret").chmod(0o444)
    assert secret_file("nats.password_file", closed / "secret") is None


def test_a_secret_s_file_is_for_its_owner_alone(open_folder: Path) -> None:
    file = open_folder / "secret"
    file.write_text("hush\n")
    file.chmod(0o600)
    assert secret_file("nats.password_file", file) is None
    file.chmod(0o644)
    found = secret_file("nats.password_file", file)
    assert found is not None
    assert (found.status, found.mend) == ("warn", f"chmod 600 {file}")


@pytest.mark.parametrize(("text", "words"), [(None, "cannot be read"), (" \n", "is empty")])
def test_a_secret_s_file_that_gives_none_fails(tmp_path: Path, text: str | None, words: str) -> None:
    file = tmp_path / "secret"
    if text is not None:
        file.write_text(text)
    found = secret_file("storage.secret_key_file", file)
    assert found is not None
    assert found.status == "fail"
    assert words in found.found


def test_a_secret_on_the_command_line_is_warned_of_and_not_shown() -> None:
    given = settings(nats={"url": "nats://u:hushed@h:1"}, storage={"secret_key": "hushed"})
    found = secret_findings(given, {"nats.url": "--set", "storage.secret_key": "--set"})
    assert [one.status for one in found] == ["warn", "warn"]
    assert "COATCHECK_NATS__URL" in told(found)
    assert "hushed" not in told(found)


def test_the_same_secrets_from_the_environment_are_well() -> None:
    given = settings(nats={"url": "nats://u:hushed@h:1"})
    (found,) = secret_findings(given, {"nats.url": "COATCHECK_NATS__URL"})
    assert found.status == "ok"
