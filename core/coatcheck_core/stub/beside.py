"""The lines about how a result came: broken off, in another encoding, with parts under references of their own."""

from coatcheck_core.encodings import UTF_8
from coatcheck_schemas.events import BLOCKS, Part

from .escaping import one_line
from .subject import StubSubject
from .words import Words

_MAX_PARTS = 10
_ERROR_CHARS = 300


def gave_up_lines(subject: StubSubject, language: Words) -> list[str]:
    """That the producer broke off, and what it said of that."""
    if not subject.incomplete:
        return []
    if not subject.error:
        return [language.gave_up]
    return [language.gave_up_why.format(error=one_line(subject.error, _ERROR_CHARS))]


def encoding_lines(subject: StubSubject, language: Words) -> list[str]:
    """Of a text that is not UTF-8."""
    if not subject.is_text or subject.encoding in (None, UTF_8):
        return []
    return [language.encoding.format(encoding=one_line(str(subject.encoding)))]


def part_lines(parts: list[Part] | None, language: Words) -> list[str]:
    """A line for each of the first parts; a text block is in the original itself, and the list says nothing new."""
    kept = [part for part in parts or [] if part.ref is not None and part.type != BLOCKS]
    shown = [_part(part, language) for part in kept[:_MAX_PARTS]]
    return [*shown, language.more.format(n=len(kept) - len(shown))] if len(kept) > len(shown) else shown


def _part(part: Part, language: Words) -> str:
    detail = "".join(
        f", {one_line(str(fact))}"
        for fact in (
            part.mime_type,
            part.uri,
            language.size_bytes.format(n=part.bytes) if part.bytes is not None else None,
            part.ref,
        )
        if fact
    )
    return language.part.format(index=part.index, type=one_line(part.type), detail=detail)
