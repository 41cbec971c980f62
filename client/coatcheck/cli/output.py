"""What commands print: content exactly, or as a terminal may show it; JSON with every field."""

import sys
from collections.abc import Iterable
from typing import Any

import click
import msgspec

from coatcheck_core.stub.escaping import escape_json
from coatcheck_schemas.events import StubEvent

from .terminal import on_terminal, safe_text


def write_bytes(data: bytes) -> None:
    """To standard output, exactly."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_content(content: str | bytes, *, ends: bool = True) -> None:
    """A result's content: exactly into a pipe or file (a text as UTF-8 whatever the locale says).

    On a terminal what would control it is escaped, and the content that `ends` here ends its line.
    """
    if not on_terminal():
        write_bytes(content.encode("utf-8", "replace") if isinstance(content, str) else content)
        return
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    write_bytes(safe_text(text).encode("utf-8", "replace"))
    if ends:
        end_line(content)


def end_line(content: str | bytes) -> None:
    """On a terminal end the line that the content has left open."""
    if on_terminal() and content and content[-1:] not in ("\n", b"\n"):
        write_bytes(b"\n")


def write_line(text: str) -> None:
    """A content among others: with a line end, also into a pipe."""
    write_content(text if text.endswith("\n") else f"{text}\n")


def write_json(value: Any, *, indent: int = -1) -> None:
    """One line of JSON, or indented lines; on a terminal nothing in it controls that."""
    encoded = msgspec.json.encode(value)
    if indent >= 0:
        encoded = msgspec.json.format(encoded, indent=indent)
    if on_terminal():
        encoded = escape_json(encoded.decode("utf-8", "replace")).encode()
    write_bytes(encoded + b"\n")


def note(text: str) -> None:
    """To standard error, beside the content."""
    click.echo(text, err=True)


def write_event(event: StubEvent, *, as_json: bool) -> None:
    """What stands for a result, as an agent gets it; or the whole event."""
    if as_json:
        write_json(event)
    else:
        write_content(content_text(event))


def content_text(event: StubEvent) -> str:
    """The event's content as one text; a block that is no text is named by its type."""
    if isinstance(event.content, str):
        return event.content
    return "\n".join(_block_texts(event.content))


def _block_texts(blocks: Iterable[msgspec.Raw]) -> Iterable[str]:
    for raw in blocks:
        block = msgspec.json.decode(raw)
        if block.get("type") == "text":
            yield str(block.get("text", ""))
        else:
            yield f"[{block.get('type')} {block.get('mimeType') or block.get('uri') or ''}".rstrip() + "]"
