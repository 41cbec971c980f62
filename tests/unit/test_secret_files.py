"""The files of secrets, as each of those who need one reads it."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from coatcheck.cli import main
from coatcheck.client.connecting import _reading as read_credentials
from coatcheck.discovery import read_password
from coatcheck_core.credentials.secret_files import MAX_BYTES, read_secret, read_whole
from coatcheck_core.settings import ConfigError
from coatcheck_core.settings.model import NatsSettings, StorageSettings
from coatcheck_schemas.errors import CoatcheckError
from coatcheck_workers.doctor.surroundings import secret_file
from coatcheck_workers.login import log_in
from coatcheck_workers.storage import open_store


def worker_password(file: str) -> None:
    log_in(NatsSettings(url="nats://h", user="u", password_file=file))


def worker_credentials(file: str) -> None:
    log_in(NatsSettings(url="nats://h", creds_file=file))


def storage_key(file: str) -> None:
    tree = {"endpoint": "http://h:1", "bucket": "bbb", "access_key": "a", "secret_key_file": file}
    open_store(msgspec.convert(tree, StorageSettings))


def client_credentials(file: str) -> None:
    read_credentials(file)[0]()


READERS = [worker_password, worker_credentials, storage_key, read_password, client_credentials]


def file_of(folder: Path, content: bytes | None) -> str:
    file = folder / "secret"
    if content is not None:
        file.write_bytes(content)
    return str(file)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"hush\xff\xfe", "is no text (UTF-8)"),
        (b"hush" * MAX_BYTES, "has more than 1,048,576 bytes"),
    ],
)
def test_what_gives_no_secret_is_named_by_its_file_and_not_shown(
    tmp_path: Path, read: Callable[[str], object], content: bytes | None, words: str
) -> None:
    with pytest.raises((CoatcheckError, ConfigError)) as refused:
        read(file_of(tmp_path, content))
    assert f"{tmp_path}/secret {words}" in str(refused.value)
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("path", ["/dev/zero", "/", "a\0b"])
def test_what_is_no_file_with_an_end_is_refused(read: Callable[[str], object], path: str) -> None:
    with pytest.raises((CoatcheckError, ConfigError)):
        read(path)


def test_the_end_of_its_line_is_no_part_of_a_password(tmp_path: Path) -> None:
    assert read_secret(file_of(tmp_path, b" p w \r\n"), "f") == " p w "


def test_a_text_of_several_lines_is_read_as_it_is(tmp_path: Path) -> None:
    assert read_whole(file_of(tmp_path, "é\nü\n".encode()), "f") == "é\nü\n"


@pytest.mark.parametrize(("content", "words"), [(b"\xff", "no text"), (b"x" * (MAX_BYTES + 1), "more than")])
def test_the_doctor_names_what_gives_no_secret(tmp_path: Path, content: bytes, words: str) -> None:
    found = secret_file("nats.password_file", Path(file_of(tmp_path, content)))
    assert found is not None
    assert (found.status, words in found.found) == ("fail", True)


@pytest.mark.parametrize("command", ["provision", "dlq list", "list"])
def test_each_command_says_in_one_line_what_is_wrong(tmp_path: Path, command: str) -> None:
    file = file_of(tmp_path, b"\xff\xfe")
    settings = ["nats.url=nats://127.0.0.1:1", "nats.user=u", f"nats.password_file={file}", "storage.url=memory://"]
    given = [part for one in settings for part in ("--set", one)]
    done = CliRunner().invoke(main, [*given, *command.split()])
    assert done.exit_code in (1, 2)
    assert done.stderr == f"error: nats.password_file {file} is no text (UTF-8)\n"


@pytest.mark.parametrize("content", [b"\xff", b"#" * (MAX_BYTES + 1)])
def test_a_configuration_that_is_none_is_named(tmp_path: Path, content: bytes) -> None:
    done = CliRunner().invoke(main, ["--config", file_of(tmp_path, content), "config"])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "correct --config" in done.stderr
