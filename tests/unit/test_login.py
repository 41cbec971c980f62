"""As whom to log in: URL, user, password, credentials, and the inbox that goes with each."""

from typing import Any

import pytest

from coatcheck_core.credentials.creds import write_creds
from coatcheck_core.credentials.jwts import UserClaims, user_token
from coatcheck_core.credentials.login import RenewedCredentials, login
from coatcheck_core.credentials.nkeys import KeyPair
from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.permissions import permissions
from coatcheck_schemas.subjects import Subjects

KEY, ACCOUNT = KeyPair("user", bytes(32)), KeyPair("account", bytes(32))
URL = "nats://{}:hush@h"


def creds_of(name: str, expires: int | None = None) -> str:
    allowed = permissions("agent", Subjects(), "s1")
    claims = UserClaims(name=name, public=KEY.public)
    return write_creds(user_token(claims, allowed, ACCOUNT, account=None, issued=1, expires=expires), KEY)


@pytest.mark.parametrize(
    ("options", "inbox"),
    [
        ({"url": "nats://h"}, "_INBOX"),
        ({"url": URL.format("admin")}, "_INBOX"),
        ({"url": URL.format("worker")}, "_INBOX.=worker"),
        ({"url": URL.format("agent.s1")}, "_INBOX.s1"),
        ({"url": "nats://h", "user": "tool.s1", "password": "p"}, "_INBOX.=tool.s1"),
        ({"url": URL.format("agent.s1"), "inbox_prefix": "mine."}, "mine"),
        ({"url": "nats://h", "creds": (lambda: creds_of("anybody"), "x")}, "_INBOX.s1"),
    ],
)
def test_replies_go_where_the_user_may_hear_them(options: dict[str, Any], inbox: str) -> None:
    assert login(**options).options["inbox_prefix"] == inbox


def test_a_user_and_credentials_together_are_refused() -> None:
    for url, user in ((URL.format("u"), None), ("nats://token@h", None), ("nats://h", "u")):
        with pytest.raises(InvalidInput, match=r"a user and the credentials in x\.creds are both given"):
            login(url, user=user, creds=(lambda: creds_of("agent.s1"), "x.creds"))


def test_what_is_given_goes_before_the_url_s() -> None:
    options = login(URL.format("u"), user="v", password="w").options
    assert (options["user"], options["password"], options["token"]) == ("v", "w", None)
    assert login("nats://token@h").options["token"] == "token"


def test_no_secret_is_shown() -> None:
    found = login("nats://h", creds=(lambda: creds_of("agent.s1"), "x"))
    assert found.creds is not None
    token = found.creds.give_token().decode()
    assert token not in repr(found)
    assert KEY.seed not in repr(found)
    assert "hush" not in repr(login(URL.format("u")))


def test_a_file_that_is_damaged_meanwhile_leaves_what_was_read() -> None:
    texts = iter([creds_of("agent.s1"), "half a file", creds_of("agent.s2")])
    creds = RenewedCredentials(lambda: next(texts), "x")
    assert creds.sign("nonce") == creds.current.sign("nonce")
    assert creds.current.claims.name == "agent.s1"
    assert creds.read_again()
    assert creds.current.claims.name == "agent.s2"


def test_credentials_that_have_expired_say_since_when() -> None:
    creds = RenewedCredentials(lambda: creds_of("agent.s1", 1_700_000_000), "x.creds")
    creds.check_time(1_699_999_999)
    with pytest.raises(InvalidInput, match=r"x\.creds expired at 2023-11-14T22:13:20Z"):
        creds.check_time(1_700_000_000)
