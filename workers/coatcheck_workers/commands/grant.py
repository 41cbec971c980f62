"""`coatcheck grant`: let an agent, a tool or an operator in, confined to what its role may do."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import click

from coatcheck.cli.options import SESSION_VARIABLE, examples
from coatcheck.cli.output import note
from coatcheck_core.credentials.nkeys import is_public
from coatcheck_core.credentials.server_users import user_entry
from coatcheck_core.settings.inboxes import inboxes
from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.permissions import AGENTS_ACCOUNT, SERVICE_ACCOUNT, SESSION_ROLES, Role
from coatcheck_schemas.segments import encode_segment
from coatcheck_schemas.subjects import Subjects

from ..embedded.files import check_replaceable, write_private
from .granting import Wanted, add_user, by_password, by_token, read_signer, remove_user, until

_FILE = click.Path(dir_okay=False, path_type=Path)


def _read_end(ctx: click.Context, param: click.Parameter, text: str | None) -> datetime | None:
    try:
        return None if text is None else until(text, datetime.now(UTC))
    except InvalidInput as error:
        raise click.BadParameter(str(error), ctx, param) from None


def _check_account(ctx: click.Context, param: click.Parameter, key: str | None) -> str | None:
    if key is not None and not is_public(key, "account"):
        raise click.BadParameter(
            f"{key[:80]!r} is no account's public key: it begins with A and has 56 letters", ctx, param
        )
    return key


@click.command(
    "grant",
    short_help="Make NATS credentials for an agent, a tool or an operator.",
    epilog=examples(
        "coatcheck grant --role agent --session s1 --agents-file agents.conf --out s1.password",
        "coatcheck grant --role tool --session s1 --signing-key agents.nk --expires 12h --out tool.creds",
        "coatcheck grant --role agent --session s1 --agents-file agents.conf --revoke",
    ),
)
@click.option("--role", type=click.Choice(get_args(Role)), required=True, help="What it may do.")
@click.option("--session", envvar=SESSION_VARIABLE, metavar="ID", help="The one session of an agent or a tool.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["conf", "jwt"]),
    help="A user of the server's configuration, or a token for a server with an operator; by default jwt with"
    " --signing-key.",
)
@click.option("--agents-file", type=_FILE, help="Add the user to this file, which the agents' account includes.")
@click.option("--signing-key", type=_FILE, help="File with the seed of the account, or of a signing key of it.")
@click.option(
    "--account",
    metavar="KEY",
    callback=_check_account,
    help="The account's public key, where --signing-key is a signing key's.",
)
@click.option("--expires", metavar="TIME", callback=_read_end, help="When the token ends: 12h, 30d, or RFC 3339.")
@click.option("--out", type=_FILE, help="Write the secret there, readable by you alone, and print none.")
@click.option("--revoke", is_flag=True, help="Take the user out of --agents-file.")
def command(
    role: Role,
    session: str | None,
    form: str | None,
    agents_file: Path | None,
    signing_key: Path | None,
    account: str | None,
    expires: datetime | None,
    out: Path | None,
    revoke: bool,
) -> None:
    """Make NATS credentials with the permissions of a role.

    An agent publishes results and requests of its own session, and hears its stubs, settled turns and answers; a tool
    publishes results of its session and hears nothing of it. Both belong into the agents' account. An admin runs the
    commands, a provisioner `coatcheck provision`, a worker `coatcheck worker`: they belong into the workers' account.

    The secret is shown once, or written to --out; nothing else has it.
    """
    settings, _ = click.get_current_context().obj.settings(ready_file=False)
    form = form or ("conf" if signing_key is None else "jwt")
    _check(form, agents_file, signing_key, account, expires, revoke)
    if agents_file is not None and role not in SESSION_ROLES and not revoke:
        raise click.UsageError(
            f"--agents-file is for agents and tools, in whose account a role {role} cannot do its work: leave it"
            " out, and put what is printed among the users of the workers' account"
        )
    for path in filter(None, (agents_file, out)):
        check_replaceable(path)
    wanted = Wanted(
        role=role,
        session=_segment(role, session),
        subjects=Subjects(settings.nats.prefix),
        inboxes=inboxes(settings.requests),
    )
    if form == "jwt" and signing_key is not None:
        _give_token(wanted, signing_key, account, expires, out)
    elif agents_file is not None and revoke:
        remove_user(agents_file, wanted.name)
        note(f"{wanted.name} is taken out of {agents_file}; the server lets it go once it reloads its configuration")
    else:
        _give_password(wanted, agents_file, out)


def _give_token(wanted: Wanted, signing_key: Path, account: str | None, end: datetime | None, out: Path | None) -> None:
    creds = by_token(wanted, read_signer(signing_key), account, datetime.now(UTC), end)
    if out is None:
        click.echo(creds, nl=False)
        return
    write_private(out, creds)
    ends = "" if end is None else f", until {end:%Y-%m-%dT%H:%M:%SZ}"
    note(f"{out} is for {wanted.name}{ends}: nats.creds_file={out}, or coatcheck.connect(URL, creds={str(out)!r})")


def _give_password(wanted: Wanted, agents_file: Path | None, out: Path | None) -> None:
    """The secret first: where it cannot be written or shown, the user that there is keeps its own."""
    if out is None and sys.stderr is None:
        raise click.UsageError("standard error, which shows the password, is closed: write it to --out")
    user, password = by_password(wanted)
    if out is None:
        note(f"the password of {wanted.name}, shown this once: {password}")
    else:
        write_private(out, f"{password}\n")
    if agents_file is None:
        click.echo(user_entry(user))
        where = f"the users of account {AGENTS_ACCOUNT if wanted.role in SESSION_ROLES else SERVICE_ACCOUNT}"
    else:
        add_user(agents_file, user)
        where = str(agents_file)
    note(f"{wanted.name} is in {where}" if agents_file else f"add this to {where}, and reload the server")
    if out is not None:
        note(f"its password is in {out}: nats.user={wanted.name}, nats.password_file={out}")


def _segment(role: Role, session: str | None) -> str:
    if role not in SESSION_ROLES:
        source = click.get_current_context().get_parameter_source("session")
        if session is not None and source is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--role {role} serves every session: leave out --session")
        return ""
    if session is None:
        raise click.UsageError(f"--role {role} is of one session: give --session")
    try:
        return encode_segment(session)
    except InvalidInput as error:
        raise click.UsageError(f"--session: {error}") from None


def _check(
    form: str,
    agents_file: Path | None,
    signing_key: Path | None,
    account: str | None,
    expires: datetime | None,
    revoke: bool,
) -> None:
    """Refuse what does not go together; raises UsageError."""
    if form == "jwt":
        if signing_key is None:
            raise click.UsageError("--format jwt needs --signing-key: a file with the seed (SA...) of the account")
        if agents_file is not None or revoke:
            raise click.UsageError(
                "a token stands in no configuration: leave out --agents-file and --revoke (`nsc revocations` ends one)"
            )
        return
    for name, value in (("--signing-key", signing_key), ("--account", account)):
        if value is not None:
            raise click.UsageError(f"{name} is for --format jwt")
    if expires is not None:
        raise click.UsageError(
            "a user of the server's configuration does not expire: use --format jwt, or --revoke it when it is time"
        )
    if revoke and agents_file is None:
        raise click.UsageError("--revoke takes a user out of --agents-file: name it")
