"""NATS's tokens (JWT, version 2): claims signed by an operator's or an account's NKey (NATS documentation, "JWT")."""

import base64
import hashlib
from typing import Any

import msgspec

from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.permissions import Permissions

from .nkeys import KeyPair

_HEADER = b'{"typ":"JWT","alg":"ed25519-nkey"}'
MAX_TOKEN_CHARS = 1024 * 1024


class UserClaims(msgspec.Struct, frozen=True, kw_only=True):
    """What a user's token says of it. `expires` are Unix seconds, 0 for never."""

    name: str
    public: str
    subscribe: tuple[str, ...] = ()
    expires: int = 0


class _Allowed(msgspec.Struct, frozen=True):
    allow: tuple[str, ...] = ()


class _Nats(msgspec.Struct, frozen=True):
    type: str = ""
    sub: _Allowed = _Allowed()


class _Claims(msgspec.Struct, frozen=True):
    nats: _Nats
    sub: str = ""
    name: str = ""
    exp: int = 0


def user_token(
    user: UserClaims, allowed: Permissions, signer: KeyPair, *, account: str | None, issued: int, expires: int | None
) -> str:
    """A user's token; `account` is the account's public key where the signer is one of its signing keys.

    Times are Unix seconds.
    """
    nats: dict[str, Any] = {
        "pub": {"allow": allowed.publish},
        "sub": {"allow": allowed.subscribe},
        "subs": -1,
        "data": -1,
        "payload": -1,
        "type": "user",
        "version": 2,
    }
    if account is not None and account != signer.public:
        nats["issuer_account"] = account
    return signed({"sub": user.public, "name": user.name, "nats": nats}, signer, issued=issued, expires=expires)


def signed(claims: dict[str, Any], signer: KeyPair, *, issued: int, expires: int | None = None) -> str:
    """The token of any claims, with issuer, times and id added."""
    whole = {**claims, "iss": signer.public, "iat": issued}
    if expires is not None:
        whole["exp"] = expires
    whole["jti"] = base64.b32encode(hashlib.sha256(msgspec.json.encode(whole)).digest()).decode().rstrip("=")
    text = f"{_base64(_HEADER)}.{_base64(msgspec.json.encode(whole))}"
    return f"{text}.{_base64(signer.sign(text.encode()))}"


def read_user_token(token: str, where: str) -> UserClaims:
    """What a user's token says; its signature is the server's to check.

    Raises InvalidInput, which says `where` and never what stands there.
    """
    pieces = token.split(".")
    wrong = InvalidInput(f"{where} holds no NATS user JWT: make it anew with `coatcheck grant` or `nsc`")
    if len(pieces) != 3 or len(token) > MAX_TOKEN_CHARS:
        raise wrong
    try:
        raw = base64.urlsafe_b64decode(pieces[1] + "=" * (-len(pieces[1]) % 4))
        claims = msgspec.json.decode(raw, type=_Claims)
    except (ValueError, msgspec.MsgspecError):  # binascii.Error is a ValueError
        raise wrong from None
    if claims.nats.type != "user":
        raise InvalidInput(f"{where} holds a JWT of {claims.nats.type or 'nobody'!r}, not of a user")
    return UserClaims(name=claims.name, public=claims.sub, subscribe=claims.nats.sub.allow, expires=claims.exp)


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
