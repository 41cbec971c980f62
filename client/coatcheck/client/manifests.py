"""A turn's manifest: heard once, or found by `replay` where it was missed."""

import logging

import msgspec

from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.events import TurnSettled
from coatcheck_schemas.requests import Replayed, ReplayReply

from .paging import Replay
from .unreadable import tell_unreadable

logger = logging.getLogger("coatcheck")


class ManifestReplay:
    """The replay of a turn's stub events, and after the last of them of its manifest, while that is `wanted`."""

    def __init__(self, stubs: Replay, manifest: Replay) -> None:
        self.wanted = False
        self._stubs = stubs
        self._manifest = manifest
        self._is_known = True

    async def page(self, after: str | None, limit: int) -> ReplayReply:
        """A page, whose cursor is that of the stub events. Raises RequestError."""
        reply = await self._stubs(after, limit)
        if not self.wanted or reply.has_more:
            return reply
        return msgspec.structs.replace(reply, events=[*reply.events, *await self.manifest()])

    async def manifest(self) -> list[Replayed]:
        """The manifest, or nothing where there is none yet, or a worker cannot tell now, or is too old to."""
        if not self._is_known:
            return []
        try:
            return (await self._manifest(None, 1)).events
        except RequestError as error:
            self._is_known = error.code is not Code.INVALID_ARGUMENT
            logger.debug("no manifest by replay: %s", error)
            return []


def decode_settled(subject: str, data: bytes | msgspec.Raw) -> TurnSettled | None:
    """The manifest, or None (and a warning) where it is of no version that this client knows."""
    try:
        return msgspec.json.decode(data, type=TurnSettled)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        tell_unreadable("manifests", subject, error)
        return None
