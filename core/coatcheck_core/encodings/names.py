"""The encodings that are understood: none that keeps a state between chars, or is not ASCII below 0x80."""

from encodings import normalize_encoding
from encodings.aliases import aliases
from functools import cache
from typing import Literal

UTF_8 = "utf-8"
WIDE_UNITS = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}
"""The bytes of a code unit of those in which an ASCII char is no single byte."""
_EITHER_ORDER = {"utf-16": ("utf-16-le", "utf-16-be"), "utf-32": ("utf-32-le", "utf-32-be")}

_SINGLE = frozenset(
    [f"iso8859-{part}" for part in (*range(1, 12), *range(13, 17))]
    + [f"cp125{page}" for page in range(9)]
    + [
        f"cp{page}"
        for page in (437, 720, 737, 775, 850, 852, 855, 856, 857, 858, *range(860, 864), 865, 866, 869, 1125)
    ]
    + [f"mac-{script}" for script in ("roman", "cyrillic", "greek", "iceland", "latin2", "turkish", "croatian")]
    + ["koi8-r", "koi8-u", "koi8-t", "kz1048", "ptcp154", "tis-620", "cp874", "hp-roman8"]
)
_MULTI = frozenset(["gb18030", "big5", "cp950", "cp932", "euc_jp", "cp949", "johab"])
_BY_CODEC = {
    name.replace("-", "_"): name for name in (UTF_8, *_EITHER_ORDER, *WIDE_UNITS, *sorted(_SINGLE), *sorted(_MULTI))
}
_AS_BROWSERS_TAKE_THEM = {
    "ascii": UTF_8,
    "utf_8_sig": UTF_8,
    "latin_1": "iso8859-1",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
"""Under these names texts bear more chars than they have: the larger sets, as in the WHATWG's Encoding standard."""
_FURTHER_ALIASES = {
    "iso_8859_8_i": "iso8859-8",
    "x_sjis": "cp932",
    "windows_31j": "cp932",
    "x_gbk": "gb18030",
    "windows_949": "cp949",
    "windows_874": "cp874",
    "x_mac_roman": "mac-roman",
}
_MOST_NAME_CHARS = 40

Sort = Literal["utf-8", "wide", "single", "multi"]


def canonical(charset: str) -> str | None:
    """The name of a declared charset; None where it is not understood. `utf-16` stays: its order is to be found.

    Python's own search for a codec is not asked, for it keeps every unknown name that it has ever been asked for.
    """
    if not charset.isascii() or not 0 < len(charset) <= _MOST_NAME_CHARS:
        return None
    alias = normalize_encoding(charset.strip().lower())
    codec = aliases.get(alias, alias)
    return _FURTHER_ALIASES.get(alias) or _AS_BROWSERS_TAKE_THEM.get(codec) or _BY_CODEC.get(codec)


def orders(name: str) -> tuple[str, ...]:
    """The wide encodings that a name may mean, the likelier first; none where it is of another sort."""
    return _EITHER_ORDER.get(name, (name,) if name in WIDE_UNITS else ())


def sort_of(name: str) -> Sort:
    """How many bytes a char has. Raises ValueError for a name that `text_encoding` never gives."""
    if name == UTF_8:
        return "utf-8"
    if name in WIDE_UNITS:
        return "wide"
    if name in _SINGLE:
        return "single"
    if name in _MULTI:
        return "multi"
    raise ValueError(f"{name!r} is no encoding in which texts are read")


@cache
def undefined_bytes(name: str) -> bytes:
    """Those that are no char in a single-byte encoding."""
    return bytes(byte for byte in range(256) if not _is_char(byte, name))


def _is_char(byte: int, name: str) -> bool:
    try:
        return len(bytes([byte]).decode(name)) == 1
    except UnicodeDecodeError:
        return False
