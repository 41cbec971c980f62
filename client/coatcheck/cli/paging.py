"""Pages of what is stored, written one after the other, and how far that has got."""

import asyncio
import base64
from collections.abc import AsyncIterator
from types import TracebackType
from typing import TYPE_CHECKING, Self

from .output import end_line, write_content, write_json
from .progress import Bar
from .terminal import on_terminal

if TYPE_CHECKING:
    from coatcheck_schemas.requests import ReadReply


def print_page(page: "ReadReply", *, as_json: bool) -> None:
    """One page, exactly as it is into a pipe or file."""
    if as_json:
        write_json(page)
        return
    content = _content(page)
    write_content(content, ends=False)
    end_line(content)


async def print_pages(pages: "AsyncIterator[ReadReply]", *, as_json: bool) -> None:
    """Each page as it comes; in a thread, for a reader may take its time: meanwhile the connection is kept alive."""
    content: str | bytes = ""
    with PagesProgress() as progress:
        async for page in pages:
            content = _content(page)
            if as_json:
                await asyncio.to_thread(write_json, page)
            else:
                await asyncio.to_thread(write_content, content, ends=False)
            progress.add(page, content)
    if not as_json:
        end_line(content)


def _content(page: "ReadReply") -> str | bytes:
    return base64.b64decode(page.content) if page.unit == "bytes" else page.content


class PagesProgress:
    """A bar by the bytes of the original; of what is read by chars the share of its bytes that these should be."""

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._done = 0.0

    def add(self, page: "ReadReply", content: str | bytes) -> None:
        """So much is written; nothing is shown beside content on a terminal."""
        if on_terminal():
            return
        is_share = page.unit != "bytes" and bool(page.total_chars)
        weight = page.total_bytes / page.total_chars if is_share and page.total_chars else 1.0
        if self._bar is None:
            is_known = page.unit != "lines" or page.offset == 0
            self._bar = Bar("reading", page.total_bytes - round(page.offset * weight) if is_known else None)
        self._done += len(content) * weight
        self._bar.update(round(self._done))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.__exit__(kind, error, trace)
