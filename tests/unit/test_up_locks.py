"""One `up` at a time on a data directory."""

import os
from pathlib import Path

import pytest

from coatcheck_workers.up import AlreadyRunning, locks


def test_a_second_one_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    refused = pytest.raises(AlreadyRunning, match=rf"pid {os.getpid()}\) runs on")
    with locks.held(tmp_path), refused, locks.held(tmp_path):
        raise AssertionError("both hold it")


def test_it_is_free_again_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with locks.held(tmp_path):
            assert (tmp_path / "up.lock").read_text() == f"{os.getpid()}\n"


async def test_what_an_earlier_one_left_behind_is_named_where_it_does_not_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "ORPHANS_SECONDS", 0.05)
    async with locks.shared_with_children(tmp_path):
        with pytest.raises(AlreadyRunning, match=r"earlier `coatcheck up` still run.*children\.lock"):
            async with locks.shared_with_children(tmp_path):
                raise AssertionError("both hold it")


async def test_a_child_that_inherited_the_descriptor_holds_the_lock_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "ORPHANS_SECONDS", 0.05)
    async with locks.shared_with_children(tmp_path) as descriptor:
        inherited = os.dup(descriptor)
    with pytest.raises(AlreadyRunning):
        async with locks.shared_with_children(tmp_path):
            raise AssertionError("both hold it")
    os.close(inherited)
    async with locks.shared_with_children(tmp_path):
        pass
