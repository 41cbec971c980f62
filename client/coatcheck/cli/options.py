"""Options that several commands share, and what they say together."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import click
from click.core import ParameterSource

from coatcheck.cli.own_session import own_session
from coatcheck_schemas.events import MAX_TURN_SIZE, MIN_TURN_SIZE

if TYPE_CHECKING:
    from coatcheck.client.encoding import ResultFields

_Function = TypeVar("_Function", bound=Callable[..., Any])

DEFAULT_SESSION = "default"
SESSION_VARIABLE = "COATCHECK_SESSION"

session_option = click.option(
    "--session",
    envvar=SESSION_VARIABLE,
    default=DEFAULT_SESSION,
    show_default=f"the user's own, else {DEFAULT_SESSION}",
    callback=own_session,
    metavar="ID",
    help=f"The session ({SESSION_VARIABLE} in the environment).",
)
ref_session_option = click.option(
    "--session",
    envvar=SESSION_VARIABLE,
    default=DEFAULT_SESSION,
    show_default=f"that of the reference, else the user's own, else {DEFAULT_SESSION}",
    callback=own_session,
    metavar="ID",
    help=f"The session ({SESSION_VARIABLE} in the environment, where the reference names none).",
)


GIVE_A_FILE = "give a file that can be read, or - for standard input"


def examples(*lines: str) -> str:
    """What a command's help ends with: each line as it is typed."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


class InputFile(click.File):
    """A file to be read as bytes, `-` for standard input; where it cannot be, the error says what to give."""

    def __init__(self) -> None:
        super().__init__("rb")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            raise click.BadParameter(f"{error.message}; {GIVE_A_FILE}", ctx, param) from None


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, with every field.")


class ResultOptions(TypedDict):
    """What `publish` and `exec` have in common."""

    session: str
    turn: str | None
    turn_size: int | None
    call: str | None
    tool: str | None
    mime_type: str | None
    no_retrieval: bool
    timeout: float
    as_json: bool


def _patience(ctx: click.Context, param: click.Parameter, value: float | None) -> float:
    """A turn that stays unfinished is settled by its workers' deadline, 60 s by default: wait a little longer."""
    if value is not None:
        return value
    return 60.0 if ctx.params.get("turn_size") is None else 90.0


def result_options(function: _Function) -> _Function:
    """The options of ResultOptions."""
    for option in reversed(
        (
            session_option,
            click.option("--turn", metavar="ID", help="The turn; without one the result belongs to none."),
            click.option(
                "--turn-size",
                type=click.IntRange(MIN_TURN_SIZE, MAX_TURN_SIZE),
                metavar="N",
                help="How many results the turn will have: the stub comes once all are there.",
            ),
            click.option("--call", metavar="ID", help="The call; without one an id is made up."),
            click.option("--tool", metavar="NAME", help="The tool's name; by default that of the file or command."),
            click.option("--mime-type", metavar="TYPE", help="A hint; content decides where the two disagree."),
            click.option(
                "--no-retrieval", is_flag=True, help="The agent has no retrieval tools: its stubs speak of none."
            ),
            click.option(
                "--timeout",
                type=click.FloatRange(min=0, min_open=True),
                callback=_patience,
                show_default="60; 90 with --turn-size",
                metavar="SECONDS",
                help="How long to wait for the stub.",
            ),
            json_option,
        )
    ):
        function = option(function)
    return function


def session_of(ctx: click.Context, ref: str | None) -> str:
    """The session to ask: `--session`, else the one that a full reference names, else the environment's or default."""
    from coatcheck.client import Segment
    from coatcheck_schemas.refs import parse_ref

    given: str = ctx.params["session"]
    if ref is None or ctx.get_parameter_source("session") is ParameterSource.COMMANDLINE:
        return given
    named = parse_ref(ref).session
    return given if named is None else Segment(named)


def fields_of(options: ResultOptions) -> "ResultFields":
    """What the options say of the result itself."""
    return {
        "turn": options["turn"],
        "turn_size": options["turn_size"],
        "call": options["call"],
        "mime_type": options["mime_type"],
        "retrieval": False if options["no_retrieval"] else None,
    }


def check_ids(ctx: click.Context, options: ResultOptions, tool_name: str) -> None:
    """Refuse what no result may bear before anything is read or run; raises UsageError."""
    from coatcheck.client.encoding import encode_result
    from coatcheck_schemas.errors import InvalidInput

    if options["turn_size"] is not None and not options["turn"]:
        raise click.UsageError("--turn-size goes with --turn: a result without one belongs to no turn", ctx)
    try:
        encode_result(options["session"], b"", tool_name, fields_of(options))
    except InvalidInput as error:
        raise click.UsageError(str(error), ctx) from None
