"""Where NATS is and as whom to log in: one reading of `nats.url`, `nats.user` and `nats.password_file` for all."""

from pathlib import Path

import msgspec

from coatcheck_core.settings.model import NatsSettings
from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.servers import Servers, parse_servers


def log_in(nats: NatsSettings) -> Servers:
    """The servers, with `nats.user` and its password in place of the URL's where they are set.

    Raises InvalidInput for a URL that is none or not set, OSError where the password's file cannot be read.
    """
    if not nats.url:
        raise InvalidInput("nats.url is not set, and no `coatcheck up` runs here: set it, or run `coatcheck up`")
    servers = parse_servers(nats.url)
    if not nats.user:
        return servers
    password = Path(nats.password_file).read_text(encoding="utf-8").rstrip("\r\n") if nats.password_file else ""
    return msgspec.structs.replace(servers, user=nats.user, password=password, token=None)
