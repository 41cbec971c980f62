"""What the first bytes say: one table of formats, for the synopsis of binary data and for the MIME types of media."""

from typing import NamedTuple


class Magic(NamedTuple):
    """A format by the bytes at some offsets; the first of its MIME types is what it is called.

    One that `holds` others is the outside of many formats, each with a type of its own: a declared one may be right.
    """

    format: str
    marks: tuple[tuple[int, bytes], ...]
    mime_types: tuple[str, ...] = ()
    holds: bool = False


def _at_start(name: str, mark: bytes, *mime_types: str, holds: bool = False) -> Magic:
    return Magic(name, ((0, mark),), mime_types, holds)


def _riff(name: str, kind: bytes, *mime_types: str) -> Magic:
    return Magic(name, ((0, b"RIFF"), (8, kind)), mime_types)


def _boxes(name: str, brand: bytes, *mime_types: str) -> Magic:
    return Magic(name, ((4, b"ftyp" + brand),), mime_types)


MAGIC = (
    _at_start("png", b"\x89PNG\r\n\x1a\n", "image/png", "image/x-png", "image/apng"),
    _at_start("jpeg", b"\xff\xd8\xff", "image/jpeg", "image/jpg", "image/pjpeg"),
    _at_start("gif", b"GIF87a", "image/gif"),
    _at_start("gif", b"GIF89a", "image/gif"),
    _riff("webp", b"WEBP", "image/webp"),
    Magic("bmp", ((0, b"BM"), (6, b"\0\0\0\0")), ("image/bmp", "image/x-bmp", "image/x-ms-bmp")),
    _at_start("tiff", b"II*\0", "image/tiff", "image/x-tiff", holds=True),
    _at_start("tiff", b"MM\0*", "image/tiff", "image/x-tiff", holds=True),
    _at_start("ico", b"\0\0\1\0", "image/x-icon", "image/vnd.microsoft.icon", "image/ico"),
    _boxes("avif", b"avif", "image/avif", "image/heif"),
    _boxes("avif", b"avis", "image/avif", "image/heif"),
    _boxes("heic", b"hei", "image/heic", "image/heif", "image/heic-sequence"),
    _boxes("heic", b"mif1", "image/heif", "image/heic", "image/avif"),
    _boxes("m4a", b"M4A", "audio/mp4", "audio/x-m4a", "audio/m4a", "audio/aac"),
    _boxes("quicktime", b"qt  ", "video/quicktime"),
    _boxes("mp4", b"", "video/mp4", "audio/mp4", "audio/x-m4a", "video/x-m4v", "video/3gpp", "video/quicktime"),
    _riff("wav", b"WAVE", "audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"),
    _riff("avi", b"AVI ", "video/x-msvideo", "video/avi", "video/vnd.avi"),
    _at_start("mp3", b"ID3", "audio/mpeg", "audio/mp3", "audio/x-mp3"),
    _at_start("mp3", b"\xff\xfb", "audio/mpeg", "audio/mp3", "audio/x-mp3"),
    _at_start("mp3", b"\xff\xf3", "audio/mpeg", "audio/mp3", "audio/x-mp3"),
    _at_start("aac", b"\xff\xf1", "audio/aac", "audio/x-aac"),
    _at_start("flac", b"fLaC", "audio/flac", "audio/x-flac"),
    _at_start(
        "ogg", b"OggS", "audio/ogg", "video/ogg", "application/ogg", "audio/opus", "audio/vorbis", "audio/x-opus"
    ),
    _at_start("matroska", b"\x1aE\xdf\xa3", "video/webm", "audio/webm", "video/x-matroska", "audio/x-matroska"),
    _at_start("midi", b"MThd\0\0\0\6", "audio/midi", "audio/x-midi"),
    _at_start("pdf", b"%PDF-", "application/pdf", "application/x-pdf"),
    _at_start("zip", b"PK\x03\x04", "application/zip", "application/x-zip-compressed", holds=True),
    _at_start("zip", b"PK\x05\x06", "application/zip", "application/x-zip-compressed", holds=True),
    _at_start("gzip", b"\x1f\x8b", "application/gzip", "application/x-gzip", holds=True),
    _at_start("bzip2", b"BZh", "application/x-bzip2", "application/bzip2", holds=True),
    _at_start("xz", b"\xfd7zXZ\x00", "application/x-xz", holds=True),
    _at_start("zstd", b"\x28\xb5\x2f\xfd", "application/zstd", holds=True),
    _at_start("7z", b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    _at_start("elf", b"\x7fELF", "application/x-executable", "application/x-elf", holds=True),
    _at_start("sqlite", b"SQLite format 3\x00", "application/vnd.sqlite3", "application/x-sqlite3", holds=True),
    _at_start("parquet", b"PAR1", "application/vnd.apache.parquet", "application/x-parquet"),
    _at_start("wasm", b"\x00asm", "application/wasm"),
    _at_start("utf-16", b"\xff\xfe"),
    _at_start("utf-16", b"\xfe\xff"),
)
NAMED_TYPES = frozenset(name for magic in MAGIC for name in magic.mime_types)


def magic_of(data: bytes) -> Magic | None:
    return next((one for one in MAGIC if all(data.startswith(mark, at) for at, mark in one.marks)), None)


def magic_format(data: bytes) -> str | None:
    """The name of the format."""
    found = magic_of(data)
    return None if found is None else found.format
