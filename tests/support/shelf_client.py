"""A client whose requests are answered by a retrieval in memory, without servers."""

from typing import Any

import msgspec
from tests.support.originals import Shelf

from coatcheck.client.asking import encode_request
from coatcheck.client.encoding import session_segment
from coatcheck.client.requesting import Requests
from coatcheck_schemas.errors import RequestError
from coatcheck_schemas.requests import Reply
from coatcheck_workers.retrieval import answer


class ShelfClient(Requests):
    """`fails` is raised in place of every answer; `asked` are the requests."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.fails: Exception | None = None
        self.asked: list[msgspec.Struct] = []

    async def _ask(self, verb: str, session: str, request: msgspec.Struct, ok: Any, seconds: float = 1.0) -> Any:
        self.asked.append(request)
        if self.fails is not None:
            raise self.fails
        body = encode_request(request)
        got = await answer(self.shelf.retrieval, verb, session_segment(session), body)
        reply = msgspec.json.decode(got.body, type=Reply)
        if reply.error is not None:
            raise RequestError(reply.error.code, reply.error.message)
        return msgspec.json.decode(reply.ok, type=ok)
