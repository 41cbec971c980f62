"""The README's examples in Python, run as they stand: the program as a process, the others one after another."""

import ast
import asyncio
import io
import os
import re
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from inspect import CO_COROUTINE
from pathlib import Path
from types import FunctionType
from typing import Any

from tests.support.workers import worker_here

import coatcheck
from coatcheck_core.settings import Settings

README = (Path(__file__).parents[2] / "README.md").read_text()
PROGRAM, *FRAGMENTS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
LOG = "\n".join(f"step {n} done" for n in range(5000))


async def test_python_example_runs_as_it_stands(deployment: Settings) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COATCHECK_")}
    environment |= {"COATCHECK_NATS__URL": deployment.nats.url, "COATCHECK_NATS__PREFIX": deployment.nats.prefix}
    async with worker_here(deployment):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", PROGRAM, env=environment, stdout=PIPE, stderr=PIPE
        )
        out, errors = await asyncio.wait_for(process.communicate(), 60)
    assert (process.returncode, errors) == (0, b"")
    assert b"[Coatcheck: tool result offloaded]" in out
    assert out.endswith(b"step 4997 done\nstep 4998 done\nstep 4999 done 4711\n")


async def test_fragments_run_as_they_stand_where_there_is_a_client(deployment: Settings) -> None:
    """In their order, each with the names of those before it; what they speak of besides is given here."""
    turn, stream, original, clearing, tools, files = FRAGMENTS
    async with reaching(deployment) as client, a_build_that_fails() as process:
        names: dict[str, Any] = {"client": client, "coatcheck": coatcheck, "log": LOG, "process": process}
        await run(turn, names)
        assert [one.disposition for one in await names["turn"].stubs()] == ["offloaded", "inline"]

        await run(stream, names)
        assert names["event"].is_error
        assert names["event"].original_lines == 2001

        names |= {"ref": names["event"].ref, "file": io.StringIO()}
        await run(original, names)
        assert names["file"].getvalue() == BUILD
        assert names["match"].line == 2000
        assert names["result"].tool_name == "build"

        names["messages"] = conversation()
        await run(clearing, names)
        assert len(names["reply"].messages) == len(names["messages"])

        names |= {"name": "tool_result_list", "arguments": '{"limit": 5}'}
        await run(tools, names)
        assert len(names["tools"]) == 9
        assert not names["answer"].is_error
        assert names["event"].content == names["answer"].text

        await run(files, names)
        assert names["entry"].path == "/plan.md"
        assert (await client.fs("my-session").read("plan.md")).content == "1. done: read the log\n"


BUILD = "compiling\n" * 2000 + "panic: out of coats\n"


def conversation() -> list[dict[str, Any]]:
    rounds: list[dict[str, Any]] = []
    for n in range(3):
        call = {"id": f"call-{n}", "type": "function", "function": {"name": "build", "arguments": "{}"}}
        rounds += [
            {"role": "user", "content": "build it"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call-{n}", "content": f"step {n}\n" * 10},
        ]
    return rounds


@asynccontextmanager
async def reaching(deployment: Settings) -> AsyncIterator[coatcheck.Client]:
    async with (
        worker_here(deployment),
        coatcheck.connect(deployment.nats.url, prefix=deployment.nats.prefix) as client,
    ):
        yield client


@asynccontextmanager
async def a_build_that_fails() -> AsyncIterator[Process]:
    """A process that writes BUILD and exits with 1."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "print('compiling\\n' * 2000 + 'panic: out of coats'); exit(1)", stdout=PIPE
    )
    yield process
    await process.wait()


async def run(fragment: str, names: dict[str, Any]) -> None:
    """Statements with `await` among them, as an interpreter of asyncio's runs them; what they name is in `names`."""
    code = compile(fragment, "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    outcome = FunctionType(code, names)()
    if code.co_flags & CO_COROUTINE:
        await outcome
