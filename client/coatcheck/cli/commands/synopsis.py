"""`coatcheck synopsis`: the stub that a file would get, without any server."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from coatcheck.cli.options import GIVE_A_FILE, examples, json_option

if TYPE_CHECKING:
    from coatcheck_core.settings import Settings
    from coatcheck_core.stub import Styles
    from coatcheck_schemas.synopsis import Synopsis

SESSION = "local"
CALL = "file"
STDIN = "-"
STDIN_NAME = "stdin"
MOST_BYTES = 256 * 1024 * 1024
"""Of one file: it is held in memory, and what a person sees of it once more."""


@click.command(
    "synopsis",
    epilog=examples(
        "coatcheck synopsis report.json",
        "coatcheck synopsis *.json *.log --json | jq -r .kind",
        "seq 1 20000 | coatcheck synopsis - --set stub.language=zh",
    ),
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--mime-type", metavar="TYPE", help="As a producer would declare it.")
@json_option
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...], mime_type: str | None, as_json: bool) -> int:
    """Print the stub that each FILE (- is standard input) would get as a tool's result.

    With --json it is one line of JSON a file: file, kind, format, synopsis, stub. A file that cannot be read, or has
    more than 256 MiB, is told on standard error, the others are shown all the same, and the exit code is 1.
    """
    from coatcheck.cli.output import note, write_json, write_line
    from coatcheck.cli.terminal import safe_text
    from coatcheck_core.stub import styles_of

    settings, _ = ctx.obj.settings(ready_file=False)
    try:
        render = styles_of(settings, note)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    failed = 0
    for path in files:
        try:
            data = _read(path)
        except (OSError, click.ClickException) as error:
            why = f"{error.strerror or error}; {GIVE_A_FILE}" if isinstance(error, OSError) else error.message
            note(f"error: {safe_text(_name(path))}: {why}")
            failed = 1
            continue
        synopsis, stub = _described(path, data, mime_type, settings, render)
        if as_json:
            write_json(_summary(path, synopsis, stub))
        else:
            write_line(f"==> {_name(path)} <==\n{stub}\n" if len(files) > 1 else f"{stub}\n")
    return failed


def _read(path: Path) -> bytes:
    """Raises OSError, and ClickException where there is more than can be held; a pipe may never end."""
    if str(path) == STDIN:
        return _read_at_most(sys.stdin.buffer)
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            raise _too_large()
        return _read_at_most(file)


def _read_at_most(file: BinaryIO) -> bytes:
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise _too_large()
    return data


def _too_large() -> click.ClickException:
    return click.ClickException(
        f"it has more than {MOST_BYTES} bytes, and is not read: publish it, workers tell large ones by both ends"
    )


def _name(path: Path) -> str:
    """As text, whatever bytes it has."""
    return STDIN_NAME if str(path) == STDIN else os.fsencode(path).decode("utf-8", "replace")


def _described(
    path: Path, data: bytes, mime_type: str | None, settings: "Settings", render: "Styles"
) -> "tuple[Synopsis, str]":
    from coatcheck_core.encodings import UTF_8, text_size
    from coatcheck_core.stub import StubSubject
    from coatcheck_core.synopsis import synopsize
    from coatcheck_schemas.refs import Ref, result_id, sha256_hex

    digest = sha256_hex(data)
    size = text_size(data, mime_type)
    synopsis = synopsize(data, mime_type)
    subject = StubSubject(
        tool_name=Path(_name(path)).name,
        ref=str(Ref(SESSION, result_id(CALL, digest))),
        sha256=digest,
        reason="single_threshold" if size is not None and size.encoding == UTF_8 else "binary",
        original_chars=None if size is None else size.chars,
        original_lines=None if size is None else size.lines,
        original_bytes=len(data),
        data=data,
        encoding=None if size is None else size.encoding,
        synopsis=synopsis,
        call_id=CALL,
    )
    return synopsis, render(subject, settings.stub, settings.retrieval)


def _summary(path: Path, synopsis: "Synopsis", stub: str) -> dict[str, Any]:
    return {
        "file": _name(path),
        "kind": synopsis.kind,
        "format": synopsis.format,
        "synopsis": synopsis,
        "stub": stub,
    }
