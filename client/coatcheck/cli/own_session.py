"""The session of a command that names none: that of a user which is confined to one, else the default."""

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from coatcheck_core.settings.model import NatsSettings


def own_session(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """A click callback: `value` where the command or the environment says it.

    Raises ConfigError where the settings are wrong, as the command itself would.
    """
    if ctx.resilient_parsing or ctx.get_parameter_source(param.name or "") is not ParameterSource.DEFAULT:
        return value
    found = _confined_to(ctx.obj.settings()[0].nats)
    return value if found is None else found


def _confined_to(nats: "NatsSettings") -> str | None:
    """The session of a user that `coatcheck grant` made, by its name; a shortened segment no longer says it."""
    from coatcheck_schemas.errors import CoatcheckError
    from coatcheck_schemas.permissions import session_of_user
    from coatcheck_schemas.segments import decode_segment, is_shortened

    try:
        segment = session_of_user(_name(nats))
        return None if segment is None or is_shortened(segment) else decode_segment(segment)
    except CoatcheckError:
        return None  # what is wrong with the credentials is told where they are used


def _name(nats: "NatsSettings") -> str:
    if nats.creds_file:
        from coatcheck.client.connecting import login_of

        creds = login_of(nats).creds
        return "" if creds is None else creds.current.claims.name
    if nats.user or not nats.url:
        return nats.user
    from coatcheck_schemas.servers import parse_servers

    return parse_servers(nats.url).user or ""
