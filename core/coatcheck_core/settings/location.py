"""Where the originals lie, from the settings of the storage. Pure."""

import re
from typing import Literal

import msgspec

from .errors import ConfigError
from .model import StorageSettings
from .redacting import redact_url

Kind = Literal["endpoint", "s3", "gs", "az", "file", "memory", "own"]

_OWN = re.compile(r"[\w.]+:\w+")
_CLOUDS: dict[str, str] = {"s3": "BUCKET", "gs": "BUCKET", "az": "CONTAINER"}
FORMS = "s3://BUCKET, gs://BUCKET, az://CONTAINER, each with /PATH or without; file:///PATH; memory://; module:Class"


class Location(msgspec.Struct, frozen=True, kw_only=True):
    """`endpoint` is an S3 server named by `storage.endpoint`, `own` a class named by `module:Class`.

    `name` is the bucket or container, a folder's absolute path, what tells one memory from another, or `module:Class`;
    `path` what all keys begin with there, without a slash at either end.
    """

    kind: Kind
    name: str
    path: str = ""


def locate(storage: StorageSettings) -> Location:
    """Raises ConfigError for a `storage.url` of no known form, and where it contradicts other settings."""
    if not storage.url:
        return Location(kind="endpoint", name=storage.bucket)
    location = _parsed(storage.url)
    _refuse_contradictions(storage, location)
    return location


def _parsed(url: str) -> Location:
    scheme, separator, rest = url.partition("://")
    if not separator:
        if _OWN.fullmatch(url) and url.partition(":")[0] not in (*_CLOUDS, "file", "memory"):
            return Location(kind="own", name=url)
        raise _no_form(url)
    match scheme:
        case "s3" | "gs" | "az":
            name, _, path = rest.partition("/")
            if "@" in name:
                raise ConfigError("storage.url carries a user: give the provider's own environment variables instead")
            if not name or any(sign in url for sign in "?#") or ":" in name:
                raise ConfigError(
                    f"storage.url {redact_url(url)!r}: it must be {scheme}://{_CLOUDS[scheme]} or with /PATH after it"
                )
            return Location(kind=scheme, name=name, path=_checked_path(url, path))
        case "file":
            if not rest.startswith("/") or rest.strip("/") == "":
                raise ConfigError(f"storage.url {redact_url(url)!r}: a folder is named as file:///ABSOLUTE/PATH")
            return Location(kind="file", name=f"/{_checked_path(url, rest)}")
        case "memory":
            name, _, path = rest.partition("/")
            return Location(kind="memory", name=name, path=_checked_path(url, path))
    raise _no_form(url)


def _checked_path(url: str, path: str) -> str:
    stripped = path.strip("/")
    if stripped and any(piece in ("", ".", "..") or "\0" in piece for piece in stripped.split("/")):
        raise ConfigError(f"storage.url {redact_url(url)!r}: no piece of its path may be empty, . or ..")
    return stripped


def _no_form(url: str) -> ConfigError:
    return ConfigError(f"storage.url {redact_url(url)!r} is none of {FORMS}")


def _refuse_contradictions(storage: StorageSettings, location: Location) -> None:
    """Two settings that name two places: whichever won, somebody's results would lie where they are not looked for."""
    if storage.endpoint:
        raise ConfigError(
            "storage.url and storage.endpoint are both set: for an S3-compatible server of your own give"
            " storage.endpoint and storage.bucket, for anything else storage.url alone"
        )
    default = StorageSettings().bucket
    if storage.bucket not in (default, location.name):
        raise ConfigError(
            f"storage.url {redact_url(storage.url)!r} and storage.bucket {storage.bucket!r} are both set:"
            " unset storage.bucket, the URL names the bucket"
        )
    if location.kind == "s3":
        return
    for name in ("access_key", "secret_key", "secret_key_file"):
        if getattr(storage, name):
            raise ConfigError(
                f"storage.{name} is a key of S3, but storage.url is {redact_url(storage.url)!r}: unset it; the"
                " credentials of other providers come from their own environment variables"
            )
