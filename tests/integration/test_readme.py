"""The README's example, run as it stands."""

import asyncio
import os
import re
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

from tests.support.workers import worker_here

from coatcheck_core.settings import Settings

README = (Path(__file__).parents[2] / "README.md").read_text()


async def test_python_example_runs_as_it_stands(deployment: Settings) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COATCHECK_")}
    environment |= {"COATCHECK_NATS__URL": deployment.nats.url, "COATCHECK_NATS__PREFIX": deployment.nats.prefix}
    async with worker_here(deployment):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", example, env=environment, stdout=PIPE, stderr=PIPE
        )
        out, errors = await asyncio.wait_for(process.communicate(), 60)
    assert (process.returncode, errors) == (0, b"")
    assert b"[Coatcheck: tool result offloaded]" in out
    assert out.endswith(b"step 4997 done\nstep 4998 done\nstep 4999 done 4711\n")
