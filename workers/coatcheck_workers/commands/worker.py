"""`coatcheck worker`: one worker process against configured servers."""

import asyncio
import gc
import logging
import os
import signal
import sys

import click
import uvloop

from coatcheck.cli.options import examples
from coatcheck_core.settings import Settings
from coatcheck_core.settings.location import locate
from coatcheck_schemas.errors import CoatcheckError
from coatcheck_workers.process.memory import give_back_large_blocks
from coatcheck_workers.process.watchdog import Watchdog
from coatcheck_workers.telemetry.logs import log_to_stderr
from coatcheck_workers.worker import Worker

log = logging.getLogger("coatcheck.worker")

GC_ALLOCATIONS = 20_000
"""A large JSON result is a thousand small objects: none of them in a cycle, and not worth a collection each."""
SWITCH_SECONDS = 0.001
"""So long the event loop waits for the interpreter's lock while threads compute: of Python's own five milliseconds it
would wait several times over for each message, and be late by three times as much."""
STUCK_SECONDS = 60.0
"""No result takes so long to compute: a worker that does is ended, and its supervisor starts another."""


@click.command(
    "worker",
    epilog=examples(
        "coatcheck worker --config production.yaml",
        "coatcheck worker --set nats.url=nats://nats:4222 --set worker.in_flight=16",
    ),
)
@click.option("--ready-fd", type=int, hidden=True, help="File descriptor that gets a line once the worker answers.")
def command(ready_fd: int | None) -> None:
    """Run one worker: it takes results, sends stubs and answers requests.

    It changes nothing of the deployment; `coatcheck provision` makes what is missing. SIGTERM finishes what is in
    hand within worker.grace_seconds and hands the rest to other workers.
    """
    settings, _ = click.get_current_context().obj.settings()
    log_to_stderr(settings.logs)
    # obstore's own threads: one carries as many transfers as we start, and more of them only wait for the interpreter.
    os.environ.setdefault("TOKIO_WORKER_THREADS", "1")
    give_back_large_blocks()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        uvloop.run(_run(settings, ready_fd))
    except (CoatcheckError, OSError) as error:
        raise click.ClickException(str(error)) from error


async def _run(settings: Settings, ready_fd: int | None) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if locate(settings.storage).kind == "memory":
        log.warning("storage.url is memory://: originals are gone with this process, and no other worker reads them")
    worker = Worker(settings)
    log_to_stderr(settings.logs, worker.telemetry.trace_id)
    Watchdog(worker.threads, STUCK_SECONDS).start()
    starting = asyncio.create_task(worker.start())
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if not starting.done():
        # NATS never came: there is nothing in hand and nobody to tell.
        starting.cancel()
        return
    try:
        await starting
        # What is loaded by now stays: left out of every later collection, which large results set off often.
        gc.collect()
        gc.freeze()
        gc.set_threshold(GC_ALLOCATIONS)
        if ready_fd is not None:
            os.write(ready_fd, b"ready\n")
        await stop.wait()
    finally:
        await worker.stop()
