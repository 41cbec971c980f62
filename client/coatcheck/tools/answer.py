"""What a tool's call gives."""

import msgspec


class ToolAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`text` goes into the tool message; `str` of the answer is it.

    `source_ref` is the original that was read: a result that is published with it goes inline, and is never offloaded
    again. `is_error` says that the call did not do what was asked; the text then says what to do.
    """

    text: str
    source_ref: str | None = None
    is_error: bool = False

    def __str__(self) -> str:
        return self.text
