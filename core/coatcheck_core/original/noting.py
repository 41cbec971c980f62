"""The index of an original that is in memory: of a small one none is stored, it is noted once its bytes are proved."""

from coatcheck_core.encodings.names import sort_of

from .blocks import Noted
from .cutting import Cutter
from .index import Facts, Index

NOTED_BLOCK_BYTES = 16 * 1024
"""What a page needs is fetched in blocks: so small that little is fetched in vain, and an index of a MiB takes 2 KB."""


def noted(data: bytes, encoding: str | None, sha256: str, block_bytes: int) -> Index:
    """The index of the plain original `data`, which has this sha256; a second for some 400 MB.

    `encoding` is the text's as it was found when it was stored, None of no text. What is no text in it, and a text in
    an encoding that is not known here, has neither chars nor lines.
    """
    cutter = Cutter(_known(encoding), block_bytes)
    noting = Noted()
    for blocks in (cutter.feed(data), cutter.finish()):
        for block in blocks:
            noting.add(len(block.data), block.chars, block.newlines, len(block.data), block.checksum)
    text = cutter.text if cutter.text is not None and cutter.text.is_valid else None
    facts = Facts(
        form="plain",
        encoding=None if text is None else text.encoding,
        sha256=sha256,
        bytes=len(data),
        chars=None if text is None else text.chars,
        lines=None if text is None else text.lines,
        blocks=len(noting.columns),
    )
    return Index(facts, noting.columns if text is not None else noting.columns.uncounted())


def _known(encoding: str | None) -> str | None:
    if encoding is None:
        return None
    try:
        sort_of(encoding)
    except ValueError:
        return None
    return encoding
