"""When the bundled NATS server is told to read its agents' users again."""

from pathlib import Path
from typing import Any

import pytest

from coatcheck_workers.embedded import NatsServer
from coatcheck_workers.embedded.child import Child
from coatcheck_workers.embedded.files import write_private


class Process:
    """Has read its configuration; then somebody is granted, while it starts."""

    alive = False

    def __init__(self, grant: Path | None) -> None:
        if grant is not None:
            write_private(grant, "users: [granted]\n")

    async def until(self, *_: Any) -> None:
        pass


async def started(folder: Path, monkeypatch: pytest.MonkeyPatch, *, grants: bool) -> NatsServer:
    server = NatsServer(folder, port=4222)

    async def start(*_: Any, **__: Any) -> Process:
        assert server.agents_file.exists()
        return Process(server.agents_file if grants else None)

    monkeypatch.setattr(Child, "start", start)
    await server.start()
    return server


async def test_who_is_granted_while_it_starts_is_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = await started(tmp_path, monkeypatch, grants=True)
    assert server.reload_if_changed()
    assert not server.reload_if_changed()


async def test_what_the_server_says_of_a_file_that_is_wrong_is_told_since_the_last_change_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = "[1] 2026/01/02 03:04:05.678901 [ERR] Failed to reload server configuration: Parse error on line {}\n"
    server = await started(tmp_path, monkeypatch, grants=True)
    server.log.write_text(failed.format(1))
    assert server.reload_if_changed()
    assert server.reload_failure() is None
    with server.log.open("a") as log:
        log.write(failed.format(3) + "[1] 2026/01/02 [INF] Trapped\n")
    assert server.reload_failure() == "Parse error on line 3"
    server.log.write_text(failed.format(5)[4:])  # trimmed, and so shorter than before
    assert server.reload_failure() == "Parse error on line 5"


async def test_each_change_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = await started(tmp_path, monkeypatch, grants=False)
    told = [server.reload_if_changed()]
    for text in ("users: [a]\n", "users: [b]\n"):
        write_private(server.agents_file, text)
        told += [server.reload_if_changed(), server.reload_if_changed()]
    server.agents_file.unlink()
    told += [server.reload_if_changed(), server.reload_if_changed()]
    assert told == [False, True, False, True, False, True, False]
