"""The client's clear leaves the event loop to an agent's other tasks: what takes long is done in threads."""

import threading
from typing import Any

import pytest
from tests.support.conversations import SHAPES, Say, rounds
from tests.support.originals import Shelf
from tests.support.wire_client import WireClient

from coatcheck.testing import MemoryStore

MESSAGES = SHAPES["chat"]([*rounds(8, size=800, argument="ls " * 100), Say("user", "and now?")])
RULES: dict[str, Any] = {"clearing_token_threshold": 100, "keep_recent_tokens": 300}


class Threads:
    """Those that it was called in."""

    def __init__(self) -> None:
        self.seen: set[int] = set()

    def count(self, text: str) -> int:
        self.seen.add(threading.get_ident())
        return len(text) // 4


class Message:
    """As an SDK has one: made into JSON by itself."""

    def __init__(self, message: Any, threads: Threads) -> None:
        self._message = message
        self._threads = threads

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._message:
            raise AttributeError(name)
        self._threads.seen.add(threading.get_ident())
        return self._message[name]

    def model_dump(self, *, mode: str) -> Any:
        self._threads.seen.add(threading.get_ident())
        return self._message


@pytest.mark.parametrize("most", [1 << 20, 10])
@pytest.mark.parametrize("offload", [True, False])
async def test_texts_are_counted_in_threads(most: int, offload: bool) -> None:
    threads = Threads()
    client = WireClient(Shelf(store=MemoryStore()), most)
    reply = await client.clear("s1", MESSAGES, offload=offload and most > 10, count=threads.count, **RULES)
    assert reply.cleared
    assert threads.seen
    assert threading.get_ident() not in threads.seen


@pytest.mark.parametrize("most", [1 << 20, 6000, 10])
async def test_objects_are_read_in_threads(most: int) -> None:
    threads = Threads()
    messages = [Message(message, threads) for message in MESSAGES]
    reply = await WireClient(Shelf(), most).clear("s1", messages, offload=False, **RULES)
    assert reply.cleared
    assert threads.seen
    assert threading.get_ident() not in threads.seen


async def test_a_conversation_that_grows_meanwhile_is_cleared_as_it_was() -> None:
    messages = list(MESSAGES)

    def count(text: str) -> int:
        messages.append({"role": "user", "content": "a task goes on"})
        return len(text) // 4

    reply = await WireClient(Shelf()).clear("s1", messages, offload=False, count=count, **RULES)
    assert len(reply.messages) == len(MESSAGES) < len(messages)
