"""What the commands that publish a result have in common."""

from typing import TYPE_CHECKING

from .options import ResultOptions

if TYPE_CHECKING:
    from coatcheck.client import Client, ResultStream


def stream_of(client: "Client", options: ResultOptions, tool_name: str) -> "ResultStream":
    """The stream of the result that the options describe."""
    return client.stream(
        options["session"],
        tool_name=tool_name,
        turn=options["turn"],
        turn_size=options["turn_size"],
        call=options["call"],
        mime_type=options["mime_type"],
    )
