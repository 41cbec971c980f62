"""A credentials file (`.creds`): a user's token and the seed that signs the server's challenge."""

import base64
import re

import msgspec

from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.permissions import inbox_of_user

from .jwts import UserClaims, read_user_token
from .nkeys import KeyPair, read_seed

_INBOX = re.compile(r"(_INBOX(?:\.[^.*>\s]+)*)\.>")
_TOKEN = re.compile(r"-+BEGIN NATS USER JWT-+\s+(\S+)\s+-+END NATS USER JWT-+")
_SEED = re.compile(r"-+BEGIN USER NKEY SEED-+\s+(\S+)\s+-+END USER NKEY SEED-+")
_FORM = """\
-----BEGIN NATS USER JWT-----
{token}
------END NATS USER JWT------

Whoever has this file can log in: keep it as you would a password.

-----BEGIN USER NKEY SEED-----
{seed}
------END USER NKEY SEED------
"""


class Credentials(msgspec.Struct, frozen=True):
    """Who logs in by a token. Its `repr` shows no secret."""

    token: str
    key: KeyPair
    claims: UserClaims

    def __repr__(self) -> str:
        return f"Credentials({self.claims.name!r})"

    def sign(self, nonce: str) -> bytes:
        """The answer to the server's challenge."""
        return base64.b64encode(self.key.sign(nonce.encode()))

    def give_token(self) -> bytearray:
        return bytearray(self.token.encode())

    @property
    def inbox(self) -> str | None:
        """Where this user's replies may go: the one inbox that its token allows, else what its name says."""
        allowed = [found[1] for subject in self.claims.subscribe if (found := _INBOX.fullmatch(subject))]
        return allowed[0] if len(allowed) == 1 else inbox_of_user(self.claims.name)


def write_creds(token: str, key: KeyPair) -> str:
    """The text of a credentials file, as every NATS client reads it."""
    return _FORM.format(token=token, seed=key.seed)


def read_creds(text: str, where: str) -> Credentials:
    """The credentials of a file's text. Raises InvalidInput, which says `where` and never what stands there."""
    token, seed = _TOKEN.search(text), _SEED.search(text)
    if token is None or seed is None:
        missing = "NATS USER JWT" if token is None else "USER NKEY SEED"
        raise InvalidInput(f"{where} is no NATS credentials file: it has no {missing}")
    key = read_seed(seed[1], "user", where)
    claims = read_user_token(token[1], where)
    if claims.public != key.public:
        raise InvalidInput(f"{where}: its JWT is of another user than its seed: make it anew")
    return Credentials(token[1], key, claims)
