"""A session's files over a store in memory, or any other."""

from typing import Any

import msgspec
from tests.support.originals import Shelf, problem

from coatcheck_schemas.filesystem import OPERATIONS
from coatcheck_workers.filesystem.answering import answer_file
from coatcheck_workers.retrieval import Answer


class Cabinet(Shelf):
    """A shelf of results with files beside them; `fs_ok` and `fs_error` are of one operation on files."""

    async def fs(self, operation: str, *, session: str = "s1", **fields: Any) -> Answer:
        assert operation in OPERATIONS
        return await answer_file(self.retrieval, operation, session, msgspec.json.encode(fields))

    async def fs_ok(self, operation: str, *, session: str = "s1", **fields: Any) -> dict[str, Any]:
        got = await self.fs(operation, session=session, **fields)
        assert len(got.body) <= self.retrieval.max_reply_bytes
        reply = msgspec.json.decode(got.body)
        assert set(reply) == {"ok"}, reply
        ok: dict[str, Any] = reply["ok"]
        return ok

    async def fs_error(self, operation: str, *, session: str = "s1", **fields: Any) -> tuple[str, str]:
        return problem(await self.fs(operation, session=session, **fields))

    async def content(self, path: str, *, session: str = "s1") -> str:
        """All of a file that fits in one reply."""
        return str((await self.fs_ok("read", session=session, path=path, limit=-1))["content"])

    async def paths(self, operation: str, **fields: Any) -> list[str]:
        """What ls or glob give, page after page."""
        found: list[str] = []
        cursor = None
        while True:
            reply = await self.fs_ok(operation, **fields, cursor=cursor)
            found += [entry["path"] for entry in reply["entries"]]
            assert reply["has_more"] is (reply["cursor"] is not None)
            if not reply["has_more"]:
                return found
            cursor = reply["cursor"]
