"""`coatcheck delete`: a result, or all of a session."""

import sys
from typing import TYPE_CHECKING

import click

from coatcheck.cli.options import examples, json_option, ref_session_option, session_of

if TYPE_CHECKING:
    from coatcheck_schemas.requests import DeleteReply

NOT_DONE = 1


@click.command("delete", epilog=examples("coatcheck delete coat://s1/...", "coatcheck delete --all --session s1 --yes"))
@click.argument("ref", required=False)
@ref_session_option
@click.option("--all", "all_of_them", is_flag=True, help="All of the session, its stubs and dead letters too.")
@click.option("--yes", "-y", "is_sure", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@json_option
@click.pass_context
def command(ctx: click.Context, ref: str | None, session: str, all_of_them: bool, is_sure: bool, as_json: bool) -> int:
    """Delete the result REF, or with --all everything of the session, for good.

    Nobody reads it from then on: its reference is answered with `gone` and the time. What is in storage of many results
    is erased after that.
    """
    from coatcheck.cli.output import write_json
    from coatcheck.cli.progress import Bar
    from coatcheck.cli.quiet import hint
    from coatcheck.cli.work import connected, run

    if (ref is None) is not all_of_them:
        raise click.UsageError("delete takes either a REF, or --all for all of the session", ctx)
    asked = session_of(ctx, ref)
    if not is_sure and not _asked(_question(ref, asked), ctx):
        hint("nothing is deleted")
        return NOT_DONE

    async def delete() -> "DeleteReply":
        async with connected(ctx.obj) as client:
            with Bar("deleting", unit="") as bar:
                bar.update(0)
                return await (client.delete_session(asked) if ref is None else client.delete(asked, ref))

    reply = run(delete())
    if as_json:
        write_json(reply)
    else:
        hint(f"deleted {reply.deleted:,} result{'' if reply.deleted == 1 else 's'}")
    return 0


def _question(ref: str | None, session: str) -> str:
    from coatcheck_core.stub.escaping import one_line

    what = "everything" if ref is None else one_line(ref)
    return f"Delete {what} of session {session[:100]!r} for good?"


def _asked(question: str, ctx: click.Context) -> bool:
    """The answer of whoever sits there; raises UsageError where nobody does."""
    if not _somebody_is_there():
        raise click.UsageError("nobody can be asked here whether that is meant: say --yes", ctx)
    return click.confirm(question, err=True)


def _somebody_is_there() -> bool:
    return sys.stdin.isatty()
