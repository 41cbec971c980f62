"""Which sessions hold a stream that is nearly full, by the subjects in it."""

from typing import Any

import msgspec

from coatcheck_core.settings import Settings
from coatcheck_workers.deployment.jetstream import JetStreamStates

SUBJECTS = {
    "COAT_CHUNKS": {"coat.chunks.a.t.c.u1": 70, "coat.chunks.a.t.c.u2": 10, "coat.chunks.b.t.c.u": 20, "coat": 1},
    "COAT_LEDGER": {"coat-internal.ledger.b.t.seen.x": 3, "coat-internal.failures.COAT_RESULTS.9": 100},
}


class JetStream:
    """Streams that are full, but for what lets the oldest go and what has room."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def jetstream(self, **options: Any) -> "JetStream":
        return self

    async def _api_request(self, subject: str, request: bytes, **options: float) -> dict[str, Any]:
        stream = subject.rpartition(".")[2]
        state: dict[str, Any] = {"messages": 1, "bytes": 10 if stream == "COAT_STUBS" else 90}
        if request:
            self.asked.append(stream)
            assert msgspec.json.decode(request) == {"subjects_filter": ">"}
            state["subjects"] = SUBJECTS.get(stream)
        return {"config": {"max_bytes": 100}, "state": state}


async def test_only_of_a_stream_that_is_nearly_full_the_sessions_with_the_most_are_known() -> None:
    jetstream: Any = JetStream()
    states = await JetStreamStates(jetstream, Settings()).streams()
    assert states["chunks"].holders == (("a", 80), ("b", 20))
    assert states["ledger"].holders == (("b", 3),)
    assert "COAT_STUBS" not in jetstream.asked
    assert "COAT_DELETED" not in jetstream.asked
