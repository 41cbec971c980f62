"""`coatcheck provision` and `coatcheck provision --check`, as an operator runs them."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest_asyncio
from click.testing import CliRunner
from tests.support.servers import unprovisioned, withdraw

from coatcheck.cli import main
from coatcheck_core.settings import Settings
from coatcheck_workers.embedded import NatsServer, S3Server


@pytest_asyncio.fixture
async def bare(nats_server: NatsServer, s3_server: S3Server) -> AsyncIterator[Settings]:
    settings = unprovisioned(nats_server, s3_server)
    yield settings
    await withdraw(settings)


def _configured(settings: Settings, folder: Path) -> list[str]:
    config = folder / "c.yaml"
    config.write_bytes(msgspec.yaml.encode(settings))
    return ["provision", "--config", str(config)]


async def _run(settings: Settings, folder: Path, *options: str) -> tuple[int, str]:
    """The exit code, and what it printed; in this process, in a thread that has its own event loop."""
    argv = [*_configured(settings, folder), *options]
    environment: dict[str, str | None] = {name: None for name in os.environ if name.startswith("COATCHECK_")}
    done = await asyncio.to_thread(CliRunner().invoke, main, argv, env={**environment, "COLUMNS": "120"})
    return done.exit_code, done.output


async def _run_as_process(settings: Settings, folder: Path) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "coatcheck", *_configured(settings, folder)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={name: value for name, value in os.environ.items() if not name.startswith("COATCHECK_")},
    )
    output, _ = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, output.decode()


async def test_it_lays_out_what_is_missing_and_then_has_nothing_to_do(bare: Settings, tmp_path: Path) -> None:
    code, said = await _run_as_process(bare, tmp_path)
    assert (code, said.count("created ") >= 4) == (0, True)
    assert await _run(bare, tmp_path) == (0, "everything is as declared\n")


async def test_check_shows_each_difference_exits_with_1_and_changes_nothing(bare: Settings, tmp_path: Path) -> None:
    for _ in range(2):
        code, said = await _run(bare, tmp_path, "--check")
        assert code == 1
        assert said.count("missing") >= 4
        assert "consumer workers of " in said


async def test_check_is_content_where_all_is_as_declared(bare: Settings, tmp_path: Path) -> None:
    await _run(bare, tmp_path)
    assert await _run(bare, tmp_path, "--check") == (0, "everything is as declared\n")


async def test_a_changed_setting_is_drift_with_both_values(bare: Settings, tmp_path: Path) -> None:
    await _run(bare, tmp_path)
    code, said = await _run(bare, tmp_path, "--check", "--set", "worker.ack_wait_seconds=33")
    assert code == 1
    assert [word in said for word in ("ack_wait", "33", "10")] == [True] * 3


async def test_a_wrong_password_is_one_line_without_the_password(bare: Settings, tmp_path: Path) -> None:
    wrong = bare.nats.url.replace(":" + bare.nats.url.split(":")[2].partition("@")[0], ":wrong-word")
    code, said = await _run(bare, tmp_path, "--set", f"nats.url={wrong}")
    assert code == 1
    assert said.startswith("error: cannot connect to NATS at nats://127.0.0.1:")
    assert said.count("\n") == 1
    assert "wrong-word" not in said


async def test_nobody_at_the_address_is_one_line(bare: Settings, tmp_path: Path) -> None:
    code, said = await _run(bare, tmp_path, "--set", "nats.url=nats://127.0.0.1:9")
    assert (code, said.count("\n")) == (1, 1)
    assert said.startswith("error: cannot connect to NATS at nats://127.0.0.1:9:")


async def test_an_endpoint_without_a_scheme_says_what_it_must_be(bare: Settings, tmp_path: Path) -> None:
    code, said = await _run(bare, tmp_path, "--set", "storage.endpoint=127.0.0.1:9000")
    assert (code, said.count("\n")) == (1, 1)
    assert "storage.endpoint must be http(s)://HOST:PORT" in said
