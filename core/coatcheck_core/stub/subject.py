"""What a stub is rendered from."""

import codecs

import msgspec

from coatcheck_core.encodings import UTF_8, as_utf8, last_chars
from coatcheck_schemas.events import Part, Reason
from coatcheck_schemas.synopsis import Synopsis

_MOST_BYTES_PER_CHAR = 4
_SHOWN_BYTES = 512 * 1024


class StubSubject(msgspec.Struct, frozen=True, kw_only=True):
    """A result and how it is kept. It is its bytes: as a text it might take four times as much memory.

    `data` is the whole, or its first bytes and `end` its last, which is when `original_bytes` says more. They are text
    in `encoding`, a codec's name, unless `original_chars` is None; `original_lines` is None also where nobody has
    counted them. `incomplete` says that the producer gave the result up, `error` why.
    """

    tool_name: str
    ref: str
    sha256: str
    reason: Reason
    original_chars: int | None
    original_bytes: int
    data: bytes
    end: bytes = b""
    encoding: str | None = UTF_8
    synopsis: Synopsis
    call_id: str = ""
    original_lines: int | None = None
    retrieval: bool = True
    parts: list[Part] | None = None
    is_error: bool = False
    incomplete: bool = False
    error: str | None = None

    @property
    def is_text(self) -> bool:
        return self.original_chars is not None

    @property
    def is_whole(self) -> bool:
        """Whether `data` is all of it."""
        return len(self.data) >= self.original_bytes

    @property
    def last_bytes(self) -> bytes:
        """Its last bytes as far as they are in hand, which may be all."""
        return self.data if self.is_whole else self.end

    @property
    def text_encoding(self) -> str:
        return self.encoding or UTF_8

    @property
    def start_as_utf8(self) -> bytes:
        """Of a text: `data` if that is UTF-8, else enough of its start to show some lines."""
        if self.text_encoding == UTF_8:
            return self.data
        return self._unmarked(as_utf8(self.data[:_SHOWN_BYTES], self.text_encoding, is_cut=True).decode()).encode()

    @property
    def has_nuls(self) -> bool:
        """Whether text, as far as it is in hand, has chars that nobody shows; text in other encodings has none."""
        return self.text_encoding == UTF_8 and (b"\0" in self.data or b"\0" in self.end)

    def head(self, chars: int) -> str:
        """The first chars of a text, without a byte order mark in another encoding than UTF-8."""
        most = self.data[: _MOST_BYTES_PER_CHAR * (max(chars, 0) + 1)]
        text = codecs.getincrementaldecoder(self.text_encoding)("ignore").decode(most)
        return self._unmarked(text)[: max(chars, 0)]

    def tail(self, chars: int) -> str:
        """The last chars of a text."""
        if chars <= 0:
            return ""
        data = self.last_bytes
        most = data[max(len(data) - _MOST_BYTES_PER_CHAR * (chars + 1), 0) :]
        is_all = self.is_whole and len(most) == len(data)
        text = most.decode(self.text_encoding, "ignore") if is_all else last_chars(most, self.text_encoding)
        return self._unmarked(text)[-chars:]

    def _unmarked(self, text: str) -> str:
        return text if self.text_encoding == UTF_8 else text.removeprefix("\ufeff")
