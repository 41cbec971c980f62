"""Where the servers are, when nobody says: the ready file that `coatcheck up` keeps in the default data directory."""

from pathlib import Path

import msgspec
from platformdirs import user_data_path

from coatcheck_core.credentials.secret_files import read_secret
from coatcheck_core.settings import ConfigError, Origin, Settings
from coatcheck_schemas.errors import InvalidInput

READY_FILE = "ready.json"
MAX_READY_BYTES = 65536


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """What a client needs of the ready file; whatever else is in it is for others."""

    nats_url: str
    s3_endpoint: str
    s3_access_key: str
    s3_secret_key: str
    s3_bucket: str


def ready_path() -> Path:
    """The ready file of `coatcheck up` with the default `--data-dir`."""
    return user_data_path("coatcheck") / READY_FILE


def lay_ready_file(settings: Settings, origins: Origin) -> tuple[Settings, Origin]:
    """The settings with a running `up`'s servers under what is configured; unchanged where `nats.url` is set.

    Raises ConfigError where the file is there and cannot be read.
    """
    if settings.nats.url:
        return settings, origins
    path = ready_path()
    ready = _read(path)
    if ready is None:
        return settings, origins
    offered = {
        "endpoint": ready.s3_endpoint,
        "access_key": ready.s3_access_key,
        "secret_key": ready.s3_secret_key,
        "bucket": ready.s3_bucket,
    }
    storage = {name: value for name, value in offered.items() if f"storage.{name}" not in origins}
    laid = msgspec.structs.replace(
        settings,
        nats=msgspec.structs.replace(settings.nats, url=ready.nats_url),
        storage=msgspec.structs.replace(settings.storage, **storage),
    )
    names = ["nats.url", *(f"storage.{name}" for name in storage)]
    return laid, {**origins, **dict.fromkeys(names, str(path))}


def missing_server() -> str:
    """What to tell somebody who has no server configured."""
    return (
        "no NATS server is configured and no `coatcheck up` runs here: run `coatcheck up`, or set nats.url "
        "(--set nats.url=nats://HOST:4222, COATCHECK_NATS__URL, or a --config file)"
    )


def read_password(path: str) -> str:
    """The password in `nats.password_file`, without the line end; raises ConfigError where it gives none."""
    try:
        return read_secret(path, f"nats.password_file {path}")
    except InvalidInput as error:
        raise ConfigError(str(error)) from None


def _read(path: Path) -> Ready | None:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(MAX_READY_BYTES), type=Ready)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"the ready file {path} cannot be read: {error}") from None
    except msgspec.DecodeError as error:
        raise ConfigError(f"the ready file {path} is damaged: {error}; run `coatcheck up` again") from None
