"""`coatcheck grant`: who is let in, where the secret goes, and what does not go together."""

import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from coatcheck.cli import main
from coatcheck_core.credentials.creds import read_creds
from coatcheck_core.credentials.nkeys import KeyPair
from coatcheck_core.credentials.server_users import NO_USERS
from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.permissions import permissions
from coatcheck_schemas.subjects import Subjects
from coatcheck_workers.commands.granting import Wanted, add_user, by_password, until

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COATCHECK_SESSION", raising=False)
    return tmp_path


@pytest.fixture
def account(folder: Path) -> Path:
    file = folder / "account.nk"
    file.write_text(f"{KeyPair('account', bytes(range(32))).seed}\n")
    return file


def grant(*argv: str | Path, **environment: str) -> Result:
    return CliRunner(env=environment).invoke(main, ["grant", *map(str, argv)])


def test_a_user_s_entry_is_printed_and_its_password_beside_it_once() -> None:
    done = grant("--role", "agent", "--session", "a b")
    assert done.exit_code == 0
    password = re.search(r"shown this once: (\w{48})", done.stderr)
    assert password is not None
    assert password[1] not in done.stdout
    assert done.stdout.startswith('{ user: "agent.a=20b", password: "$2a$')
    assert all(f'"{one}"' in done.stdout for one in permissions("agent", Subjects(), "a=20b").publish)


def test_a_worker_may_answer_where_the_settings_let_replies_go() -> None:
    done = grant("--role", "worker", COATCHECK_REQUESTS__INBOX_PREFIXES='["_INBOX.", "reply.here"]')
    assert done.exit_code == 0
    assert all(f'"{one}"' in done.stdout for one in ("_INBOX.>", "reply.here.>", "_R_.>"))


def test_a_secret_with_a_file_of_its_own_is_not_printed(folder: Path) -> None:
    secret, agents = folder / "secret", folder / "agents.conf"
    done = grant("--role", "tool", "--session", "s", "--agents-file", agents, "--out", secret)
    assert done.exit_code == 0
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    password = secret.read_text().strip()
    assert len(password) == 48
    assert password not in done.stdout + done.stderr + agents.read_text()
    assert "tool.s" in agents.read_text()


def test_the_same_user_gets_a_new_password_in_its_place(folder: Path) -> None:
    agents = folder / "agents.conf"
    for _ in range(2):
        assert grant("--role", "agent", "--session", "s", "--agents-file", agents).exit_code == 0
    assert agents.read_text().count("agent.s") == 1


def test_a_user_is_revoked(folder: Path) -> None:
    agents = folder / "agents.conf"
    options = ("--role", "agent", "--session", "s", "--agents-file", agents)
    assert grant(*options).exit_code == 0
    assert grant(*options, "--revoke").exit_code == 0
    assert agents.read_text() == NO_USERS
    gone = grant(*options, "--revoke")
    assert gone.exit_code == 1
    assert "there is no user agent.s" in gone.stderr


def test_of_many_grants_at_once_none_is_lost_and_the_file_keeps_its_mode(folder: Path) -> None:
    agents = folder / "agents.conf"
    agents.write_text(NO_USERS)
    agents.chmod(0o644)

    def one(number: int) -> None:
        user, _ = by_password(Wanted(role="agent", session=f"s{number}", subjects=Subjects()))
        add_user(agents, user)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(20)))
    assert agents.read_text().count("agent.s") == 20
    assert stat.S_IMODE(agents.stat().st_mode) == 0o644


def test_a_token_is_written_for_its_owner_alone(folder: Path, account: Path) -> None:
    out = folder / "agent.creds"
    done = grant("--role", "agent", "--session", "s", "--signing-key", account, "--expires", "2h", "--out", out)
    assert done.exit_code == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    creds = read_creds(out.read_text(), "it")
    assert creds.inbox == "_INBOX.s"
    assert creds.claims.name == "agent.s"
    assert abs(creds.claims.expires - (datetime.now(UTC) + timedelta(hours=2)).timestamp()) < 600
    assert creds.key.seed not in done.stdout + done.stderr
    assert account.read_text().strip() not in done.stdout + done.stderr + out.read_text()


def test_a_token_without_a_file_is_printed_alone(account: Path) -> None:
    done = grant("--role", "worker", "--signing-key", account)
    assert read_creds(done.stdout, "it").claims.expires == 0
    assert done.stderr == ""


def test_the_session_may_come_from_the_environment_and_the_prefix_from_the_settings() -> None:
    done = grant("--role", "agent", "--set", "nats.prefix=mine", COATCHECK_SESSION="s")
    assert '"mine.read.s"' in done.stdout
    assert grant("--role", "admin", COATCHECK_SESSION="s").exit_code == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--role", "agent"], "give --session"),
        (["--role", "admin", "--session", "s"], "leave out --session"),
        (["--role", "agent", "--session", "x" * 5000], "4096 UTF-8 bytes"),
        (["--role", "worker", "--expires", "2h"], "does not expire"),
        (["--role", "worker", "--agents-file", "f"], "among the users of the workers' account"),
        (["--role", "worker", "--account", KeyPair("account", bytes(32)).public], "is for --format jwt"),
        (["--role", "worker", "--format", "jwt"], "needs --signing-key"),
        (["--role", "worker", "--revoke"], "--agents-file: name it"),
        (["--role", "nobody"], "'nobody'"),
        (["--role", "worker", "--format", "conf", "--signing-key", "k"], "is for --format jwt"),
        (["--role", "worker", "--signing-key", "k", "--agents-file", "f"], "stands in no configuration"),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(options: list[str], told: str) -> None:
    done = grant(*options)
    assert done.exit_code == 2
    assert told in done.stderr


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (["--account", "AAAA"], "no account's public key"),
        (["--expires", "soon"], "is no time"),
        (["--expires", ""], "is no time"),
        (["--expires", "0"], "is no time"),
        (["--expires", "2020-01-01T00:00:00Z"], "is over already"),
        (["--expires", "2040-01-01T00:00:00"], "is no time"),
        (["--expires", "999999999w"], "is no time"),
    ],
)
def test_a_wrong_value_is_wrong_usage(account: Path, extra: list[str], told: str) -> None:
    done = grant("--role", "worker", "--signing-key", account, *extra)
    assert done.exit_code == 2
    assert told in done.stderr


def test_a_key_of_another_kind_is_told_without_showing_it(folder: Path) -> None:
    seed = KeyPair("user", bytes(32)).seed
    (folder / "user.nk").write_text(seed)
    done = grant("--role", "worker", "--signing-key", folder / "user.nk")
    assert done.exit_code == 1
    assert "begins with SA" in done.stderr
    assert seed not in done.stderr


def test_a_key_s_file_that_is_not_there_is_told(folder: Path) -> None:
    done = grant("--role", "worker", "--signing-key", folder / "none.nk")
    assert (done.exit_code, "none.nk" in done.stderr) == (1, True)


def test_a_file_of_something_else_is_left_as_it_is(folder: Path) -> None:
    other = folder / "nats.conf"
    other.write_text("listen: 4222\n")
    done = grant("--role", "agent", "--session", "s", "--agents-file", other)
    assert done.exit_code == 1
    assert "nats.conf: it is no file of agents' users" in done.stderr
    assert other.read_text() == "listen: 4222\n"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("90s", NOW + timedelta(seconds=90)),
        ("2w", NOW + timedelta(weeks=2)),
        ("2030-01-02T05:04:05+02:00", None),
        ("2030-01-03T00:00:00+02:00", datetime(2030, 1, 2, 22, tzinfo=UTC)),
    ],
)
def test_an_end_is_read(text: str, at: datetime | None) -> None:
    if at is None:
        with pytest.raises(InvalidInput, match="over"):
            until(text, NOW)
    else:
        assert until(text, NOW) == at


@pytest.mark.parametrize("option", ["--out", "--agents-file"])
def test_what_is_named_and_is_no_file_is_refused_and_left(folder: Path, option: str) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    done = grant("--role", "agent", "--session", "s", option, pipe)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "pipe is a pipe, which is not written to: name a new file" in done.stderr
    assert pipe.is_fifo()
