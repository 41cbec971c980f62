"""A client whose requests to clear are answered over a store in memory, in messages of a bounded size."""

from typing import Any

import msgspec
from tests.support.originals import Shelf
from tests.support.shelf_client import ShelfClient

from coatcheck.client.asking import encode_request
from coatcheck.client.offloading import OldResult
from coatcheck_schemas.errors import Code, RequestError
from coatcheck_schemas.requests import Reply
from coatcheck_workers.clearing.answering import answer_clear


class WireClient(ShelfClient):
    """Its messages have `most` bytes at most; `asked` has what was answered, `apart` what was to be stored apart."""

    def __init__(self, shelf: Shelf, most: int = 1 << 20) -> None:
        super().__init__(shelf)
        self.most = most
        self.apart: list[OldResult] = []
        self.takes_apart = False

    async def _keep_apart(self, session: str, result: OldResult) -> str | None:
        self.apart.append(result)
        if not self.takes_apart:
            return None
        return await self.shelf.keep(result.text, call=result.call_id, tool=result.tool_name)

    async def _ask(self, verb: str, session: str, request: msgspec.Struct, ok: Any, seconds: float = 1.0) -> Any:
        if verb != "clear":
            return await super()._ask(verb, session, request, ok, seconds)
        body = encode_request(request)
        if len(body) > self.most:
            raise RequestError(Code.TOO_LARGE, "too large")
        self.asked.append(request)
        reply = msgspec.json.decode((await answer_clear(self.shelf.retrieval, session, body)).body, type=Reply)
        if reply.error is not None:
            raise RequestError(reply.error.code, reply.error.message, **reply.error.details)
        return msgspec.json.decode(reply.ok, type=ok)
