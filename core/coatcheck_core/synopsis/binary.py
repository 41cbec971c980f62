"""Whether bytes are for people to read, and what they are where they are not."""

from coatcheck_core.encodings.detecting import CONTROLS, MOST_CONTROLS

from .blocks import blocks
from .effort import Step, unhurried

_EACH_CONTROL = tuple(CONTROLS)
_MOST_REPLACED = 0.2
"""Of the bytes; the character itself has three."""
_REPLACEMENT = "\ufffd".encode()

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"%PDF-", "pdf"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"\x7fELF", "elf"),
    (b"SQLite format 3\x00", "sqlite"),
    (b"PAR1", "parquet"),
    (b"\x00asm", "wasm"),
    (b"OggS", "ogg"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def is_utf8(data: bytes, step: Step = unhurried) -> bool:
    """Block by block: whole, a text of 100 MB would take four times its size."""
    if data.isascii():
        return True
    try:
        for block in blocks(data, step):
            if not block.isascii():
                block.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_undecodable(data: bytes, step: Step = unhurried) -> bool:
    """Not UTF-8, or with a NUL, or with many characters that could not be decoded before it came here."""
    if b"\0" in data or not is_utf8(data, step):
        return True
    return not data.isascii() and data.count(_REPLACEMENT) * len(_REPLACEMENT) > _MOST_REPLACED * len(data)


def is_controls(data: bytes, step: Step = unhurried) -> bool:
    """With more control characters than a text has. Strict JSON has none of them: it need not be asked."""
    return sum(_controls(block) for block in blocks(data, step)) > MOST_CONTROLS * len(data)


def _controls(block: bytes) -> int:
    """How many; most texts have none, and to look for each of them is quicker than to count them all."""
    if not any(map(block.__contains__, _EACH_CONTROL)):
        return 0
    return len(block) - len(block.translate(None, CONTROLS))


def magic_format(data: bytes) -> str | None:
    """What the first bytes say."""
    return next((name for magic, name in _MAGIC if data.startswith(magic)), None)
