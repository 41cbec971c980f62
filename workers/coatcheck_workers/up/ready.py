"""The ready file: where everything answers, for clients on this machine."""

from pathlib import Path

import msgspec

from ..embedded.files import check_replaceable, write_private

READY_FILE = "ready.json"


class Ready(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the file holds, as JSON; `worker_http` where the workers have HTTP servers."""

    nats_url: str
    s3_endpoint: str
    s3_access_key: str
    s3_secret_key: str
    s3_bucket: str
    worker_pids: list[int]
    worker_http: list[str] = msgspec.field(default_factory=list)


class ReadyFiles:
    """The ready file in the data directory, and the one that was asked for. Each is whole at any time."""

    def __init__(self, data_dir: Path, asked_for: Path | None) -> None:
        """Raises NotAFile where something else than a file is there, which is never replaced or removed."""
        self._paths = [data_dir / READY_FILE, *([asked_for] if asked_for else [])]
        for path in self._paths:
            check_replaceable(path)

    def write(self, ready: Ready) -> None:
        """The one that was asked for comes last, so that commands find the other when somebody waits for it."""
        text = msgspec.json.format(msgspec.json.encode(ready).decode(), indent=2) + "\n"
        for path in self._paths:
            write_private(path, text)

    def remove(self) -> None:
        """Nobody answers any more, or not yet. What has come to be something else stays."""
        for path in self._paths:
            if path.is_symlink() or not path.is_file():
                continue
            path.unlink(missing_ok=True)
