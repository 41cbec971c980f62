"""`up` with ports for its workers that somebody has."""

import re
import socket
from pathlib import Path

import msgspec
import pytest
from tests.support.ports import reserved_port

from coatcheck_core.settings import Settings
from coatcheck_workers.telemetry.serving import CannotListen
from coatcheck_workers.up import Machine, Plan
from coatcheck_workers.up.ports import check_free


def two_in_a_row() -> tuple[socket.socket, int]:
    """One that listens, on the port behind one that nobody else has; and that one."""
    while True:
        port, second = reserved_port(), socket.socket()
        second.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            second.bind(("127.0.0.1", port + 1))
        except (OSError, OverflowError):
            second.close()
            continue
        second.listen()
        return second, port


async def test_a_port_of_any_worker_that_is_taken_ends_it_before_anything_is_started(tmp_path: Path) -> None:
    taken, port = two_in_a_row()
    settings = msgspec.convert({"http": {"port": port}}, Settings)
    plan = Plan.make(settings, data_dir=tmp_path / "data", workers=2, ready_file=None)
    machine = Machine(plan, ready=print, notice=print)
    with taken, pytest.raises(CannotListen, match=rf"http\.port {port + 1} cannot be listened on .*choose others"):
        await machine.run()
    await machine.stop()
    assert not (tmp_path / "data" / "nats").exists()


async def test_ports_that_were_tried_are_free_again() -> None:
    ports = [reserved_port(), reserved_port()]
    for _ in range(2):
        await check_free("127.0.0.1", ports)


async def test_a_host_that_is_none_of_this_machine_s_is_named() -> None:
    with pytest.raises(CannotListen, match=re.escape("'192.0.2.1'")):
        await check_free("192.0.2.1", [18_080])
