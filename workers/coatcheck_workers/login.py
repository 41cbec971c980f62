"""Where NATS is and as whom to log in: one reading of `nats.url` and its neighbours for all."""

import time

from coatcheck_core.credentials.login import Login, login
from coatcheck_core.credentials.secret_files import read_secret, reading
from coatcheck_core.credentials.tls_files import tls_of
from coatcheck_core.settings.model import NatsSettings
from coatcheck_schemas.errors import InvalidInput


def log_in(nats: NatsSettings) -> Login:
    """The servers, with `nats.creds_file`, or `nats.user` and its password, in place of the URL's where they are set.

    Raises InvalidInput for a URL that is none or not set, a file that cannot be read or is wrong, and credentials that
    have expired.
    """
    if not nats.url:
        raise InvalidInput("nats.url is not set, and no `coatcheck up` runs here: set it, or run `coatcheck up`")
    inbox, tls = nats.inbox_prefix or None, tls_of(nats)
    if nats.creds_file:
        creds = reading(nats.creds_file, f"nats.creds_file {nats.creds_file}")
        found = login(nats.url, user=nats.user or None, creds=creds, inbox_prefix=inbox, tls=tls)
        if found.creds is not None:
            found.creds.check_time(time.time())
        return found
    if not nats.user:
        return login(nats.url, inbox_prefix=inbox, tls=tls)
    file = nats.password_file
    password = read_secret(file, f"nats.password_file {file}") if file else ""
    return login(nats.url, user=nats.user, password=password, inbox_prefix=inbox, tls=tls)
