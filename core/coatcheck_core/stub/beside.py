"""The lines about what came beside a result's text: its parts, each kept under a reference of its own."""

from coatcheck_schemas.events import Part

from .escaping import one_line
from .words import Words

_MAX_PARTS = 10


def part_lines(parts: list[Part] | None, language: Words) -> list[str]:
    """A line for each of the first parts; a text block is in the original itself."""
    kept = [part for part in parts or [] if part.ref is not None]
    shown = [_part(part, language) for part in kept[:_MAX_PARTS]]
    return [*shown, language.more.format(n=len(kept) - len(shown))] if len(kept) > len(shown) else shown


def _part(part: Part, language: Words) -> str:
    detail = "".join(
        f", {one_line(str(fact))}"
        for fact in (
            part.mime_type,
            language.size_bytes.format(n=part.bytes) if part.bytes is not None else None,
            part.ref,
        )
        if fact
    )
    return language.part.format(index=part.index, type=one_line(part.type), detail=detail)
