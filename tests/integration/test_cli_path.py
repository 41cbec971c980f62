"""The `coatcheck` command against a real worker: what it prints, and what it exits with.

`exec`, which hears signals, is a process; and so is what ends by one, or by a reader that goes away.
"""

import asyncio
import json
import os
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio
import yaml
from tests.support.commands import SECONDS, Command, configured, python
from tests.support.wait import eventually
from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_schemas.events import StubEvent

LONG = "a line of some length\n" * 2000


@pytest_asyncio.fixture
async def command(deployment: Settings, tmp_path: Path) -> AsyncIterator[Command]:
    async with worker_here(deployment):
        yield Command(configured(deployment, tmp_path), tmp_path)


async def test_exec_prints_a_short_output_as_it_is(command: Command) -> None:
    done = await command.run("exec", *python("print('out'); import sys; print('err', file=sys.stderr)"))
    assert (done.code, sorted(done.text.split()), done.err) == (0, ["err", "out"], "")


async def test_exec_prints_the_stub_of_a_long_output_and_read_has_the_original(command: Command) -> None:
    done = await command.run("exec", *python(f"print({LONG!r}, end='')"))
    assert done.code == 0
    assert done.text.startswith("[Coatcheck: tool result offloaded]\n")
    ref = next(line.removeprefix("ref: ") for line in done.text.splitlines() if line.startswith("ref: "))
    read = await command.here("read", ref, "--limit", "-1")
    assert (read.code, read.text, read.err) == (0, LONG, "")


async def test_exec_of_a_failing_command_says_its_exit_code_and_exits_with_it(command: Command) -> None:
    done = await command.run("exec", "--json", *python("import sys; print('half done', end=''); sys.exit(3)"))
    assert done.code == 3
    assert (done.event.content, done.event.is_error) == ("half done\nexit code: 3\n", True)


async def test_exec_of_a_killed_command_exits_as_a_shell_does(command: Command) -> None:
    done = await command.run("exec", "--", "sh", "-c", "echo before; kill -KILL $$")
    assert (done.code, done.text) == (137, "before\nexit code: 137\n")


async def test_exec_adds_no_exit_code_to_bytes_that_are_no_text(command: Command) -> None:
    code = "import sys; sys.stdout.buffer.write(bytes(range(256))); sys.exit(1)"
    done = await command.run("exec", "--json", *python(code))
    assert (done.code, done.event.original_bytes, done.event.reason) == (1, 256, "binary")


async def test_exec_names_a_command_that_is_not_there(command: Command) -> None:
    done = await command.run("exec", "--", "no-such-command-anywhere")
    assert (done.code, done.out) == (127, b"")
    assert done.err == "error: cannot run no-such-command-anywhere: No such file or directory\n"


async def test_exec_does_not_wait_for_what_the_command_left_behind(command: Command) -> None:
    done = await command.run("exec", "--", "sh", "-c", "sleep 300 & echo started $!")
    pid = int(done.text.split()[1])
    os.kill(pid, 9)
    assert done.code == 0


async def test_exec_passes_a_signal_on_and_publishes_what_there_is(command: Command) -> None:
    process = await command.start("exec", "--", "sh", "-c", "echo before; exec sleep 300")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    await eventually(lambda: _runs(children, "sleep"), expecting="the child")
    process.terminate()
    out, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    assert (process.returncode, out.decode()) == (143, "before\nexit code: 143\n")


def _runs(children: Path, name: str) -> bool:
    """Whether one of the process's children (a thread of it started it) is the named program by now."""
    with suppress(OSError):  # a thread or a process that ends while it is looked at
        pids = [pid for task in children.parents[1].glob("*/children") for pid in task.read_text().split()]
        return any(Path(f"/proc/{pid}/cmdline").read_bytes().startswith(name.encode()) for pid in pids)
    return False


async def test_publish_takes_a_file_and_names_the_tool_after_it(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("some notes")
    done = await command.run("publish", str(path), "--json", "--turn", "t.1", "--call", "c/1", "--session", "a b")
    event = done.event
    assert (event.tool_name, event.content, event.session_id) == ("notes.txt", "some notes", "a b")
    assert (event.turn_id, event.call_id) == ("t.1", "c/1")


async def test_publish_takes_standard_input_and_the_session_of_the_environment(command: Command) -> None:
    done = await command.here("publish", "-", "--json", stdin=b"piped", COATCHECK_SESSION="from-env")
    assert (done.event.tool_name, done.event.content, done.event.session_id) == ("stdin", "piped", "from-env")


async def test_read_goes_by_the_session_of_the_reference(command: Command) -> None:
    for session in ("thread:42/a b", "s" * 3000):
        event = (await command.here("publish", "-", "--json", "--session", session, stdin=LONG.encode())).event
        assert event.ref is not None
        done = await command.here("read", event.ref, "--limit", "3", "--unit", "lines", COATCHECK_SESSION="other")
        assert done.text == "a line of some length\n" * 3
        assert done.err == "there is more: go on with --offset 3 --unit lines --limit 3, or --follow-pages for all\n"


async def test_read_writes_raw_bytes(command: Command) -> None:
    data = bytes(range(256)) * 3
    event = (await command.here("publish", "-", "--json", stdin=data)).event
    assert event.ref is not None
    assert (await command.here("read", event.ref, "--unit", "bytes")).out == data
    assert (await command.here("read", event.ref, "--unit", "bytes", "--offset", "-2")).out == b"\xfe\xff"


async def test_read_of_what_is_not_there_is_one_line(command: Command) -> None:
    done = await command.here("read", f"coat://default/c-{'0' * 32}")
    assert (done.code, done.out, done.err.count("\n")) == (1, b"", 1)
    assert done.err.startswith("error: not_found: ")


async def test_search_and_list_print_for_people_and_for_programs(command: Command) -> None:
    text = f"{LONG}here is the need\x1b[31mle\n"
    event = (await command.here("publish", "-", "--json", "--tool", "evil\x1b[2J\ntool", stdin=text.encode())).event
    shown = await command.here("search", "here is", "--context", "40")
    assert shown.code == 0
    assert f"{event.ref} line 2001 offset 44000" in shown.text
    assert "need\\u001b[31mle" in shown.text
    found = json.loads((await command.here("search", "here is", "--json")).out)
    assert found["matches"][0]["offset"] == 44000
    listed = await command.here("list")
    assert "evil\\u001b[2J\\ntool" in listed.text
    assert any(line.endswith(str(event.ref)) for line in listed.text.splitlines())
    assert json.loads((await command.here("list", "--json", "--kind", "json")).out)["tool_results"] == []


async def test_watch_prints_what_was_and_what_comes(command: Command) -> None:
    await command.here("publish", "-", stdin=b"the first")
    process = await command.start("watch", "--from-start", "--json")
    assert process.stdout is not None
    try:
        first = msgspec.json.decode(await asyncio.wait_for(process.stdout.readline(), SECONDS), type=StubEvent)
        await command.here("publish", "-", stdin=b"the second")
        second = msgspec.json.decode(await asyncio.wait_for(process.stdout.readline(), SECONDS), type=StubEvent)
    finally:
        process.kill()
        await process.communicate()
    assert (first.content, second.content) == ("the first", "the second")


async def test_a_reader_that_goes_away_is_no_error(command: Command) -> None:
    event = (await command.here("publish", "-", "--json", stdin=(LONG * 20).encode())).event
    python_command = f"{shlex.quote(sys.executable)} -m coatcheck read --config {shlex.quote(str(command.config))}"
    process = await asyncio.create_subprocess_shell(
        f"{python_command} {event.ref} --limit -1 | head -c 10",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=command.environment,
    )
    out, err = await asyncio.wait_for(process.communicate(), SECONDS)
    assert (out, err) == (b"a line of ", b"")


async def test_without_a_worker_the_error_says_how_to_start_one(deployment: Settings, tmp_path: Path) -> None:
    command = Command(configured(deployment, tmp_path), tmp_path)
    listed = await command.here("list")
    assert (listed.code, listed.err.count("\n")) == (1, 1)
    assert "no worker answers" in listed.err
    assert "coatcheck up" in listed.err
    published = await command.run("exec", "--timeout", "2", *python("print('kept')"))
    assert (published.code, published.text) == (1, "kept\n")
    assert "the result is kept" in published.err


async def test_the_ready_file_of_a_running_up_is_found(deployment: Settings, tmp_path: Path) -> None:
    storage = deployment.storage
    ready = tmp_path / "coatcheck" / "ready.json"
    ready.parent.mkdir()
    fields = {"nats_url": deployment.nats.url, "s3_endpoint": storage.endpoint, "s3_access_key": storage.access_key}
    ready.write_text(json.dumps({**fields, "s3_secret_key": "hush", "s3_bucket": "bucket", "worker_pids": [1]}))
    config = tmp_path / "prefix.yaml"
    config.write_text(yaml.safe_dump({"nats": {"prefix": deployment.nats.prefix}}))
    command = Command(config, tmp_path)
    async with worker_here(deployment):
        done = await command.here("publish", "-", stdin=b"found")
    assert (done.code, done.text) == (0, "found")
    table = json.loads((await command.here("config", "--json")).out)
    assert table["nats.url"]["origin"] == str(ready)
    assert table["storage.secret_key"] == {"value": "********", "origin": str(ready)}


@pytest.mark.parametrize(
    "argv", [("read", "x"), ("list",), ("watch",), ("exec", "--", "true")], ids=lambda argv: argv[0]
)
async def test_a_wrong_password_is_one_line(deployment: Settings, tmp_path: Path, argv: tuple[str, ...]) -> None:
    config = tmp_path / "wrong.yaml"
    host = deployment.nats.url.rpartition("@")[2]
    config.write_text(yaml.safe_dump({"nats": {"url": f"nats://someone:hush@{host}"}}))
    command = Command(config, tmp_path)
    done = await command.here(*argv)
    assert (done.code, done.out, done.err.count("\n")) == (1, b"", 1)
    assert "hush" not in done.err
    if argv[0] != "read":
        assert "wrong user or password" in done.err
