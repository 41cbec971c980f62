"""Keys, tokens, credentials files and the configuration's users, in NATS's own formats."""

import base64
import json
from typing import Any

import pytest

from coatcheck_core.credentials.creds import read_creds, write_creds
from coatcheck_core.credentials.jwts import UserClaims, signed, user_token
from coatcheck_core.credentials.nkeys import KeyPair, is_public, read_seed
from coatcheck_core.credentials.passwords import hashed
from coatcheck_core.credentials.server_users import NO_USERS, ServerUser, user_entry, with_user, without_user
from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.permissions import Permissions, permissions
from coatcheck_schemas.subjects import Subjects

# The pair that NATS's documentation shows.
SEED = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
PUBLIC = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"

USER = KeyPair("user", b"\x01" * 32)
ACCOUNT = KeyPair("account", b"\x02" * 32)
ALLOWED = permissions("agent", Subjects(), "s=2E1")


def token_of(**changed: Any) -> str:
    claims = UserClaims(name="agent.s=2E1", public=USER.public)
    options: dict[str, Any] = {"account": None, "issued": 1_700_000_000, "expires": None} | changed
    return user_token(claims, ALLOWED, ACCOUNT, **options)


def decoded(token: str) -> dict[str, Any]:
    piece = token.split(".")[1]
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(piece + "=" * (-len(piece) % 4)))
    return claims


def test_a_seed_of_nats_s_documentation_has_its_public_key() -> None:
    key = read_seed(f"# a comment\n{SEED}\n", "user", "a file")
    assert key.public == PUBLIC
    assert key.seed == SEED


@pytest.mark.parametrize("kind", ["operator", "account", "user"])
def test_a_key_is_read_back_from_its_seed(kind: Any) -> None:
    key = KeyPair(kind, bytes(range(32)))
    assert read_seed(key.seed, kind, "a file").public == key.public
    assert is_public(key.public, kind)
    assert not is_public(key.public[:-1] + ("A" if key.public[-1] != "A" else "B"), kind)


def test_no_key_shows_its_seed() -> None:
    assert SEED not in repr(read_seed(SEED, "user", "x"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no NKey seed: it must be the seed of an account's key, which begins with SA"),
        (SEED, "begins with SU"),
        (f"SA{SEED[2:]}", "checksum"),
        ("password", "no NKey seed"),
    ],
)
def test_what_is_no_seed_is_told_without_showing_it(text: str, told: str) -> None:
    with pytest.raises(InvalidInput, match=told) as caught:
        read_seed(text, "account", "key.nk")
    assert str(caught.value).startswith("key.nk")
    assert text not in str(caught.value) or not text


def test_a_token_allows_what_its_role_may_and_no_more() -> None:
    claims = decoded(token_of(expires=1_800_000_000))
    assert claims["nats"]["pub"] == {"allow": list(ALLOWED.publish)}
    assert claims["nats"]["sub"] == {"allow": list(ALLOWED.subscribe)}
    assert (claims["iss"], claims["sub"], claims["exp"]) == (ACCOUNT.public, USER.public, 1_800_000_000)
    assert "issuer_account" not in claims["nats"]


def test_a_signing_key_s_token_names_its_account() -> None:
    account = KeyPair("account", b"\x03" * 32).public
    assert decoded(token_of(account=account))["nats"]["issuer_account"] == account


def test_a_credentials_file_is_read_back() -> None:
    creds = read_creds(write_creds(token_of(), USER), "a.creds")
    assert creds.inbox == "_INBOX.s=2E1"
    assert creds.give_token().decode() == token_of()
    assert creds.sign("nonce") == base64.b64encode(USER.sign(b"nonce"))
    assert USER.seed not in repr(creds)
    assert token_of() not in repr(creds)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no NATS USER JWT"),
        (write_creds(token_of(), USER).partition("Whoever")[0], "no USER NKEY SEED"),
        (write_creds("a.b.c", USER), "no NATS user JWT"),
        (write_creds(token_of(), KeyPair("user", b"\x09" * 32)), "another user than its seed"),
        (write_creds(signed({"sub": USER.public, "nats": {"type": "account"}}, ACCOUNT, issued=1), USER), "'account'"),
        (write_creds(token_of(), USER).replace("SU", "SX"), "no NKey seed|no USER NKEY SEED"),
    ],
)
def test_a_damaged_credentials_file_is_told_without_showing_it(text: str, told: str) -> None:
    with pytest.raises(InvalidInput, match=told) as caught:
        read_creds(text, "a.creds")
    assert USER.seed[2:] not in str(caught.value)


def test_the_inbox_of_another_s_token_is_what_it_allows() -> None:
    claims = UserClaims(name="somebody", public=USER.public)
    for subscribe, inbox in ((("_INBOX.app.x.>", "a.>"), "_INBOX.app.x"), (("_INBOX.a.>", "_INBOX.b.>"), None)):
        allowed = Permissions(publish=(), subscribe=subscribe)
        token = user_token(claims, allowed, ACCOUNT, account=None, issued=1, expires=None)
        assert read_creds(write_creds(token, USER), "a.creds").inbox == inbox


def test_an_entry_holds_a_hash_and_its_subjects_quoted() -> None:
    entry = user_entry(ServerUser(name='a"b', password=hashed("secret", b"s" * 16), permissions=ALLOWED))
    assert "secret" not in entry
    assert '"a\\"b"' in entry
    assert '"$2a$' in entry
    assert all(f'"{one}"' in entry for one in (*ALLOWED.publish, *ALLOWED.subscribe))


def test_a_password_of_the_environment_stands_as_a_variable() -> None:
    assert user_entry(ServerUser(name="w", password="$NATS_PASSWORD")) == '{ user: "w", password: $NATS_PASSWORD }'


def test_a_user_is_added_replaced_and_taken_away() -> None:
    text = with_user(NO_USERS, ServerUser(name="a", password="1"))
    text = with_user(text, ServerUser(name="b", password="2"))
    again = with_user(text, ServerUser(name="a", password="3"))
    assert again.count('user: "a"') == 1
    assert 'password: "3"' in again
    assert without_user(without_user(again, "a"), "b") == NO_USERS
    with pytest.raises(InvalidInput, match="no user c"):
        without_user(text, "c")


@pytest.mark.parametrize("text", ["", "users: [\n", "users: [\n  listen: 1\n]\n", "authorization { }\n"])
def test_another_file_is_not_taken_for_one_of_agents_users(text: str) -> None:
    with pytest.raises(InvalidInput, match="no file of agents' users"):
        with_user(text, ServerUser(name="a", password="1"))
