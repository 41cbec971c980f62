"""Where NATS is and as whom to log in: one reading of `nats.url` and its neighbours for all."""

import time
from pathlib import Path

from coatcheck_core.credentials.login import Login, ReadFile, login
from coatcheck_core.credentials.tls_files import tls_of
from coatcheck_core.settings.model import NatsSettings
from coatcheck_schemas.errors import InvalidInput

MAX_BYTES = 1024 * 1024


def log_in(nats: NatsSettings) -> Login:
    """The servers, with `nats.creds_file`, or `nats.user` and its password, in place of the URL's where they are set.

    Raises InvalidInput for a URL that is none or not set, a TLS file that is wrong, and credentials that are none or
    have expired; OSError where the password's file cannot be read.
    """
    if not nats.url:
        raise InvalidInput("nats.url is not set, and no `coatcheck up` runs here: set it, or run `coatcheck up`")
    inbox, tls = nats.inbox_prefix or None, tls_of(nats)
    if nats.creds_file:
        found = login(nats.url, user=nats.user or None, creds=_reading(nats.creds_file), inbox_prefix=inbox, tls=tls)
        if found.creds is not None:
            found.creds.check_time(time.time())
        return found
    if not nats.user:
        return login(nats.url, inbox_prefix=inbox, tls=tls)
    password = Path(nats.password_file).read_text(encoding="utf-8").rstrip("\r\n") if nats.password_file else ""
    return login(nats.url, user=nats.user, password=password, inbox_prefix=inbox, tls=tls)


def _reading(path: str) -> tuple[ReadFile, str]:
    where = f"nats.creds_file {path}"

    def read() -> str:
        try:
            with Path(path).open("rb") as file:
                return file.read(MAX_BYTES).decode()
        except OSError as error:
            raise InvalidInput(f"{where} cannot be read: {error.strerror or error}") from None
        except UnicodeDecodeError:
            raise InvalidInput(f"{where} is no text") from None

    return read, where
