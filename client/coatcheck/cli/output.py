"""What commands print: content exactly, JSON with every field, and what a terminal may show safely."""

import sys
from collections.abc import Iterable
from typing import Any

import click
import msgspec

from coatcheck_schemas.events import StubEvent


def write_bytes(data: bytes) -> None:
    """To standard output, exactly."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_line(text: str) -> None:
    """A text with a line end, as UTF-8 whatever the terminal's encoding is."""
    data = text.encode("utf-8", "replace")
    write_bytes(data if data.endswith(b"\n") else data + b"\n")


def write_json(value: Any) -> None:
    """One line of JSON."""
    write_bytes(msgspec.json.encode(value) + b"\n")


def note(text: str) -> None:
    """To standard error, beside the content."""
    click.echo(text, err=True)


def write_event(event: StubEvent, *, as_json: bool) -> None:
    """What stands for a result, as an agent gets it; or the whole event."""
    if as_json:
        write_json(event)
    else:
        write_line(content_text(event))


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
