"""NKeys: Ed25519 keys in NATS's text form, base32 of a kind, the key and a checksum (NATS documentation, "NKeys").

A seed begins with S and the letter of its kind (`SU...`: a user, `SA...`: an account), a public key with the letter.
"""

import base64
import binascii
import re
from typing import Literal

from coatcheck_schemas.errors import InvalidInput

Kind = Literal["operator", "account", "user"]

SEED_BYTES = 32
_LETTERS: dict[Kind, str] = {"operator": "O", "account": "A", "user": "U"}
_PREFIXES: dict[Kind, int] = {"operator": 14 << 3, "account": 0, "user": 20 << 3}
_SEED_PREFIX = 18 << 3
_PUBLIC = re.compile(r"[OAU][A-Z2-7]{55}")
_SEED = re.compile(r"S[OAU][A-Z2-7]{56}")


class KeyPair:
    """A key that signs. Neither `repr` nor an error shows its seed."""

    def __init__(self, kind: Kind, raw: bytes) -> None:
        """`raw` are 32 random bytes, from a source fit for secrets."""
        from Crypto.PublicKey import ECC  # here, since every client has this module and few log in by a key

        self.kind: Kind = kind
        self._raw = raw
        self._key = ECC.construct(curve="Ed25519", seed=raw)

    def __repr__(self) -> str:
        return f"KeyPair({self.public})"

    @property
    def public(self) -> str:
        raw: bytes = self._key.public_key().export_key(format="raw")
        return _encoded(bytes([_PREFIXES[self.kind]]) + raw)

    @property
    def seed(self) -> str:
        """The secret."""
        prefix = _PREFIXES[self.kind]
        head = bytes([_SEED_PREFIX | prefix >> 5, (prefix & 31) << 3])
        return _encoded(head + self._raw)

    def sign(self, data: bytes) -> bytes:
        from Crypto.Signature import eddsa

        return eddsa.new(self._key, "rfc8032").sign(data)


def read_seed(text: str, kind: Kind, where: str) -> KeyPair:
    """The key of a seed, which may stand among other lines, as in a file that `nsc` or `nk` wrote.

    Raises InvalidInput, which says `where` and never what stands there.
    """
    found = next((line.strip() for line in text.splitlines() if _SEED.fullmatch(line.strip())), None)
    wanted = f"the seed of {_article(kind)} key, which begins with S{_LETTERS[kind]}"
    if found is None:
        raise InvalidInput(f"{where} holds no NKey seed: it must be {wanted}")
    raw = _decoded(found)
    if raw is None:
        raise InvalidInput(f"{where} holds a seed whose checksum is wrong: a letter of it was lost or changed")
    if found[1] != _LETTERS[kind]:
        raise InvalidInput(f"{where} holds a seed that begins with {found[:2]}: it must be {wanted}")
    return KeyPair(kind, raw[2:])


def is_public(text: str, kind: Kind) -> bool:
    """Whether it is a public key of that kind."""
    return bool(_PUBLIC.fullmatch(text)) and text[0] == _LETTERS[kind] and _decoded(text) is not None


def _article(kind: Kind) -> str:
    return f"a {kind}'s" if kind == "user" else f"an {kind}'s"


def _encoded(raw: bytes) -> str:
    checksum = binascii.crc_hqx(raw, 0).to_bytes(2, "little")
    return base64.b32encode(raw + checksum).decode().rstrip("=")


def _decoded(text: str) -> bytes | None:
    """What was encoded, or None where the checksum is not its own."""
    whole = base64.b32decode(text + "=" * (-len(text) % 8))
    raw, checksum = whole[:-2], whole[-2:]
    return raw if binascii.crc_hqx(raw, 0).to_bytes(2, "little") == checksum else None
