"""A user and a password (or an S3 access key and its secret), made up once and kept beside the data."""

import secrets
from pathlib import Path

import msgspec

from coatcheck_schemas.errors import CoatcheckError

from .files import write_private


class CredentialsDamaged(CoatcheckError):
    """The file of credentials cannot be read as one."""


class Credentials(msgspec.Struct, frozen=True, kw_only=True):
    """Letters and digits only, so that they stand in a URL and in any configuration language as they are."""

    name: str
    secret: str

    def __repr__(self) -> str:
        return f"Credentials(name={self.name!r})"


def read_or_create(path: Path, name: str) -> Credentials:
    """The credentials kept at `path`, made where there are none. Raises CredentialsDamaged."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Credentials)
    except FileNotFoundError:
        made = Credentials(name=name, secret=secrets.token_hex(24))
        write_private(path, msgspec.json.encode(made).decode())
        return made
    except msgspec.DecodeError as error:
        raise CredentialsDamaged(f"{path} is damaged ({error}); delete it, and new credentials are made") from None
