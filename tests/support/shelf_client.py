"""A client whose requests are answered by a retrieval in memory, without servers."""

from typing import Any

import msgspec
from tests.support.originals import Shelf

from coatcheck.client.asking import encode_request
from coatcheck.client.encoding import session_segment
from coatcheck.client.files import Files
from coatcheck.client.requesting import Requests
from coatcheck_schemas.errors import RequestError
from coatcheck_schemas.requests import Reply
from coatcheck_workers.filesystem.answering import answer_file
from coatcheck_workers.retrieval import answer
from coatcheck_workers.retrieval.model import Answer


class ShelfClient(Requests):
    """`fails` is raised in place of every answer; `asked` are the requests."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.fails: Exception | None = None
        self.asked: list[msgspec.Struct] = []

    def fs(self, session: str) -> Files:
        segment = session_segment(session)

        async def ask_file(operation: str, request: msgspec.Struct, ok: Any) -> Any:
            body = self._noted(request)
            return _decoded(await answer_file(self.shelf.retrieval, operation, segment, body), ok)

        return Files(ask_file)

    async def _ask(self, verb: str, session: str, request: msgspec.Struct, ok: Any, seconds: float = 1.0) -> Any:
        body = self._noted(request)
        return _decoded(await answer(self.shelf.retrieval, verb, session_segment(session), body), ok)

    def _noted(self, request: msgspec.Struct) -> bytes:
        self.asked.append(request)
        if self.fails is not None:
            raise self.fails
        return encode_request(request)


def _decoded(got: Answer, ok: Any) -> Any:
    reply = msgspec.json.decode(got.body, type=Reply)
    if reply.error is not None:
        raise RequestError(reply.error.code, reply.error.message)
    return msgspec.json.decode(reply.ok, type=ok)
