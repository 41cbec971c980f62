"""One suite for every store: the fakes that are shipped, and the real one."""

from collections.abc import Awaitable, Callable

import pytest

from coatcheck.testing import STORE_CHECKS, FailingStore, MemoryStore, check_store
from coatcheck_core.settings import Settings
from coatcheck_schemas.store import Store
from coatcheck_workers.storage import Gate, open_store

Check = Callable[[Store], Awaitable[None]]
each_check = pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)


@each_check
async def test_memory_store(check: Check) -> None:
    await check(MemoryStore())


@each_check
async def test_failing_store_that_is_told_nothing(check: Check) -> None:
    await check(FailingStore(MemoryStore()))


@each_check
async def test_gate_in_front_of_a_store(check: Check) -> None:
    await check(Gate(MemoryStore()))


@each_check
async def test_gate_in_front_of_the_s3_store(check: Check, deployment: Settings) -> None:
    await check(Gate(open_store(deployment.storage)))


@each_check
async def test_s3_store(check: Check, deployment: Settings) -> None:
    await check(open_store(deployment.storage))


async def test_check_store_names_the_check_that_fails() -> None:
    class Forgetful(MemoryStore):
        async def put(self, key: str, data: bytes, *, exclusive: bool = False) -> None:
            await super().put(key, data)

    with pytest.raises(AssertionError, match="refuses_a_taken_key_exclusively"):
        await check_store(Forgetful)
