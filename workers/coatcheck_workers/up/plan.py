"""What `up` makes of the configuration: ports, limits that fit the disk, and the settings of its workers. Pure."""

from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from coatcheck_core.settings import ConfigError, Settings
from coatcheck_core.settings.inboxes import inboxes
from coatcheck_core.settings.model import MIB, StreamsSettings
from coatcheck_core.settings.redacting import redact_url

LOOPBACK = ("127.0.0.1", "localhost")
DISK_SHARE = 0.8
GRACE_SECONDS = 7.0
"""What `up` grants its workers to finish, of the ten seconds in which it stops altogether."""

_MAX_PORT = 65_535
_USUAL_INBOX = "_INBOX"
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what is set, not what is listened on
"""Addresses to listen on that are none to ask at."""

OWN_CREDENTIALS = (
    ("nats", "user"),
    ("nats", "password_file"),
    ("nats", "creds_file"),
    ("nats", "inbox_prefix"),
    ("storage", "access_key"),
    ("storage", "secret_key"),
    ("storage", "secret_key_file"),
)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to run. Ports are None where free ones are to be chosen."""

    data_dir: Path
    workers: int
    ready_file: Path | None
    settings: Settings
    nats_port: int | None
    s3_port: int | None

    @classmethod
    def make(cls, settings: Settings, *, data_dir: Path, workers: int, ready_file: Path | None) -> "Plan":
        """Raises ConfigError for settings that `up` cannot honour."""
        for section, name in OWN_CREDENTIALS:
            if getattr(getattr(settings, section), name):
                raise ConfigError(
                    f"{section}.{name} is set, but `coatcheck up` makes up its servers' credentials: unset it,"
                    " or run `coatcheck worker` against your own servers"
                )
        if settings.storage.url:
            raise ConfigError(
                "storage.url is set, but `coatcheck up` runs its own S3 server: unset it, or run `coatcheck worker`"
                " against your own NATS server"
            )
        if settings.nats.replicas != 1:
            raise ConfigError("nats.replicas must be 1 for `coatcheck up`, which runs one NATS server")
        nats_port = _port("nats.url", settings.nats.url, "nats")
        s3_port = _port("storage.endpoint", settings.storage.endpoint, "http")
        _check_http(settings, workers, {nats_port, s3_port})
        return cls(
            data_dir=data_dir.absolute(),
            workers=workers,
            ready_file=ready_file.absolute() if ready_file else None,
            settings=settings,
            nats_port=nats_port,
            s3_port=s3_port,
        )

    @property
    def http_ports(self) -> list[int]:
        """Of the workers, in the order of their slots; empty where they are to have none."""
        first = self.settings.http.port
        return list(range(first, first + self.workers)) if first else []

    @property
    def worker_http(self) -> list[str]:
        """The URLs under which the workers answer for their health, from this machine."""
        host = _ANYWHERE.get(self.settings.http.host, self.settings.http.host)
        return [f"http://{f'[{host}]' if ':' in host else host}:{port}" for port in self.http_ports]


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """Where the servers answer, with somebody's credentials."""

    nats_url: str
    s3_endpoint: str
    s3_access_key: str
    s3_secret_key: str


def effective(settings: Settings, served: Served, room: int) -> Settings:
    """The settings with these servers, and streams that fit into `room` bytes of disk.

    Without http.port: each worker is given one of its own.
    """
    replace = msgspec.structs.replace
    return replace(
        settings,
        nats=replace(settings.nats, url=served.nats_url),
        storage=replace(
            settings.storage,
            endpoint=served.s3_endpoint,
            access_key=served.s3_access_key,
            secret_key=served.s3_secret_key,
        ),
        streams=capped(settings.streams, int(room * DISK_SHARE)),
        http=replace(settings.http, port=0),
        worker=replace(settings.worker, grace_seconds=min(settings.worker.grace_seconds, GRACE_SECONDS)),
    )


def answered(settings: Settings) -> Settings:
    """The same for whoever asks: with replies where workers answer, where the usual `_INBOX.` is not among these."""
    boxes = [inbox.removesuffix(".>") for inbox in inboxes(settings.requests)]
    box = "" if _USUAL_INBOX in boxes else boxes[0]
    return msgspec.structs.replace(settings, nats=msgspec.structs.replace(settings.nats, inbox_prefix=box))


def capped(streams: StreamsSettings, room: int) -> StreamsSettings:
    """The limits, each made smaller in proportion where together they exceed `room`; whole MiB, at least one."""
    limits = {name: section.max_bytes for name, section in msgspec.structs.asdict(streams).items()}
    total = sum(limits.values())
    if total <= room:
        return streams
    fitting = {name: {"max_bytes": max(limit * room // total // MIB, 1) * MIB} for name, limit in limits.items()}
    return msgspec.convert(fitting, StreamsSettings)


def _check_http(settings: Settings, workers: int, taken: set[int | None]) -> None:
    first = settings.http.port
    last = first + workers - 1
    if first and last > _MAX_PORT:
        raise ConfigError(
            f"http.port is {first}, and {workers} workers need the ports up to {last}: choose a lower one"
        )
    both = [port for port in range(first, last + 1) if port and port in taken]
    if both:
        raise ConfigError(f"http.port is {first}, and so a worker would get {both[0]}, a server's port: choose another")


def _port(key: str, url: str, scheme: str) -> int | None:
    """The port that a configured URL asks for."""
    if not url:
        return None
    try:
        pieces = urlsplit(url if "://" in url else f"{scheme}://{url}")
        port = pieces.port
    except ValueError:
        raise ConfigError(f"{key}: {redact_url(url)!r} is no URL of a server") from None
    if "@" in pieces.netloc:
        raise ConfigError(f"{key} carries a user, but `coatcheck up` makes up its servers' credentials")
    if pieces.scheme != scheme or pieces.hostname not in LOOPBACK or not port or pieces.path not in ("", "/"):
        raise ConfigError(
            f"{key} is {redact_url(url)!r}, but `coatcheck up` runs its own server on loopback: give"
            f" {scheme}://127.0.0.1:PORT to choose its port, leave it out for a free one, or run"
            " `coatcheck worker` against your own servers"
        )
    return port
