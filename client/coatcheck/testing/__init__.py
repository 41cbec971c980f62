"""Testing aids: stores that need no server, and the suite that any store must pass.

import pytest
from coatcheck.testing import MemoryStore, STORE_CHECKS

@pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
async def test_my_store(check):
    await check(MyStore())
"""

from .failing import FailingStore, Operation
from .memory import MemoryStore
from .store_checks import STORE_CHECKS, check_store

__all__ = ["STORE_CHECKS", "FailingStore", "MemoryStore", "Operation", "check_store"]
