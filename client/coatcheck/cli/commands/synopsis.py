"""`coatcheck synopsis`: the stub that a file would get, without any server."""

import sys
from pathlib import Path
from typing import Any

import click

from coatcheck.cli.options import json_option

SESSION = "local"
CALL = "file"
STDIN = "-"
STDIN_NAME = "stdin"
MOST_BYTES = 64 * 1024 * 1024


@click.command("synopsis")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--mime-type", metavar="TYPE", help="As a producer would declare it.")
@json_option
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...], mime_type: str | None, as_json: bool) -> int:
    """Print the stub that each FILE (- is standard input) would get as a tool's result.

    With --json it is one line of JSON a file.
    """
    from coatcheck.cli.output import note, write_json, write_line

    settings, _ = ctx.obj.settings(ready_file=False)
    failed = 0
    for path in files:
        try:
            path, data = _read(path)
        except (OSError, click.ClickException) as error:
            note(f"error: {path}: {getattr(error, 'strerror', None) or error}")
            failed = 1
            continue
        summary = _summary(path, data, mime_type, settings)
        if as_json:
            write_json(summary)
        else:
            write_line(f"{summary['stub']}\n")
    return failed


def _read(path: Path) -> tuple[Path, bytes]:
    """The file's name and bytes. A pipe may never end: it is read to what a tool's result could be at most."""
    if str(path) != STDIN:
        return path, path.read_bytes()
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise click.ClickException(f"standard input has more than {MOST_BYTES} bytes, more than any result has")
    return Path(STDIN_NAME), data


def _summary(path: Path, data: bytes, mime_type: str | None, settings: Any) -> dict[str, Any]:
    from coatcheck_core.stub import StubSubject, render_stub
    from coatcheck_core.synopsis import synopsize
    from coatcheck_schemas.refs import Ref, result_id, sha256_hex

    digest = sha256_hex(data)
    text = _text(data)
    synopsis = synopsize(data, mime_type)
    subject = StubSubject(
        tool_name=path.name,
        ref=str(Ref(SESSION, result_id(CALL, digest))),
        sha256=digest,
        reason="binary" if text is None else "single_threshold",
        original_chars=None if text is None else len(text),
        original_bytes=len(data),
        data=data,
        synopsis=synopsis,
    )
    stub = render_stub(subject, settings.stub, settings.retrieval)
    return {"file": str(path), "kind": synopsis.kind, "format": synopsis.format, "synopsis": synopsis, "stub": stub}


def _text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
