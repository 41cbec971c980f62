"""A user that is confined to one session need not name it."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from coatcheck.cli.invocation import Invocation, add_settings_options
from coatcheck.cli.options import session_option
from coatcheck_core.credentials.creds import write_creds
from coatcheck_core.credentials.jwts import UserClaims, user_token
from coatcheck_core.credentials.nkeys import KeyPair
from coatcheck_schemas.permissions import permissions
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import Subjects

URL = "nats://{}:hush@127.0.0.1:1"


@click.command()
@session_option
def command(session: str) -> None:
    click.echo(repr(session))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("COATCHECK_SESSION", raising=False)


def session_of(*argv: str, **environment: str) -> str:
    done = CliRunner(env=environment).invoke(add_settings_options(command), argv, obj=Invocation())
    assert done.exit_code == 0, done.output
    return done.output.strip().strip("'")


@pytest.mark.parametrize(
    ("user", "session"),
    [
        ("agent.s1", "s1"),
        ("tool.a=20b", "a b"),
        ("agent.=", ""),
        ("admin", "default"),
        ("agent.not a segment", "default"),
        (f"agent.{encode_segment('x' * 300)}", "default"),
    ],
)
def test_the_session_is_that_of_the_user(user: str, session: str) -> None:
    assert session_of(COATCHECK_NATS__URL=URL.format(user.replace(" ", "%20"))) == session
    assert session_of(COATCHECK_NATS__URL="nats://127.0.0.1:1", COATCHECK_NATS__USER=user) == session


def test_a_session_that_is_named_goes_before_it() -> None:
    url = URL.format("agent.s1")
    assert session_of("--session", "s2", COATCHECK_NATS__URL=url) == "s2"
    assert session_of(COATCHECK_SESSION="s3", COATCHECK_NATS__URL=url) == "s3"
    assert session_of("--set", "nats.user=agent.s4", COATCHECK_NATS__URL="nats://127.0.0.1:1") == "s4"


def test_the_session_is_that_of_the_credentials(tmp_path: Path) -> None:
    key = KeyPair("user", bytes(32))
    claims = UserClaims(name="agent.s5", public=key.public)
    allowed = permissions("agent", Subjects(), "s5")
    token = user_token(claims, allowed, KeyPair("account", bytes(32)), account=None, issued=1, expires=None)
    file = tmp_path / "a.creds"
    file.write_text(write_creds(token, key))
    environment = {"COATCHECK_NATS__URL": "nats://127.0.0.1:1", "COATCHECK_NATS__CREDS_FILE": str(file)}
    assert session_of(**environment) == "s5"
    file.write_text("none")
    assert session_of(**environment) == "default"
