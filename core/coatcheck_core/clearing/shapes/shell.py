"""The output of OpenAI's shell tool, which the agent runs: for each command what it wrote to its two streams."""

from typing import Any

from .access import field, has_fields, replaced
from .texts import cleared_content, result_pieces

_STREAMS = ("stdout", "stderr")


def shell_pieces(output: Any) -> tuple[str, ...]:
    """Each stream's text; of what is no list of commands as of any result."""
    if not _is_of_commands(output):
        return result_pieces(output)
    texts = (field(command, stream) for command in output for stream in _STREAMS)
    return tuple(text for text in texts if isinstance(text, str) and text)


def cleared_shell(output: Any, placeholder: str) -> Any:
    """The first command's output is the placeholder, that of the others empty; how each ended stays."""
    if not _is_of_commands(output):
        return cleared_content(output, placeholder)
    first, *others = output
    return [
        replaced(first, stdout=placeholder, stderr=""),
        *(replaced(command, stdout="", stderr="") for command in others),
    ]


def _is_of_commands(output: Any) -> bool:
    """Not of blocks, of which each has a type."""
    return (
        isinstance(output, list | tuple)
        and bool(output)
        and all(has_fields(command) and field(command, "type") is None for command in output)
    )
