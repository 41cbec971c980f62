"""A dead letter as a row for a person, and as JSON. Nothing in it moves a terminal's cursor."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from coatcheck.cli.terminal import print_table
from coatcheck_core.stub.escaping import one_line
from coatcheck_schemas.times import format_time
from coatcheck_workers.streams.letters import Letter

ID_CHARS = 40
ERROR_CHARS = 120
TITLES = ("seq", "time", "session", "turn", "call", "reason", "tries", "bytes", "error")
NUMBERS = ("seq", "tries", "bytes")


def facts(letter: Letter) -> dict[str, Any]:
    """What a list says of a letter; `bytes` is null where the body lies in object storage."""
    session, turn, call = letter.at.ids
    return {
        "sequence": letter.sequence,
        "time": format_time(letter.time),
        "session_id": session,
        "turn_id": turn,
        "call_id": call,
        "subject": letter.subject,
        "reason": letter.reason,
        "error": letter.error,
        "attempts": letter.attempts,
        "bytes": letter.body_bytes,
        "body_uri": letter.body_uri,
    }


def show_table(letters: Sequence[Letter]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in TITLES:
        table.add_column(title, no_wrap=True, justify="right" if title in NUMBERS else "left")
    for letter in letters:
        table.add_row(*map(Text, _cells(letter)))
    print_table(table, fold=False)


def _cells(letter: Letter) -> tuple[str, ...]:
    session, turn, call = (one_line(one, ID_CHARS) for one in letter.at.ids)
    size = "stored" if letter.body_bytes is None else f"{letter.body_bytes:,}"
    time, reason, error = format_time(letter.time), one_line(letter.reason), one_line(letter.error, ERROR_CHARS)
    return str(letter.sequence), time, session, turn, call, reason, str(letter.attempts), size, error
