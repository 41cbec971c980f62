"""Run a machine until a signal asks it to stop."""

import asyncio
import signal

from .machine import Machine

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


async def serve(machine: Machine) -> None:
    """Return once a signal has come and everything has stopped; raise what `run` raises, everything stopped too."""
    loop = asyncio.get_running_loop()
    asked = asyncio.Event()
    for number in STOP_SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup has SIGHUP
            loop.add_signal_handler(number, asked.set)
    running = asyncio.create_task(machine.run())
    signalled = asyncio.create_task(asked.wait())
    try:
        await asyncio.wait({running, signalled}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        signalled.cancel()
        running.cancel()
        await asyncio.wait({running})
        await machine.stop()
    if not running.cancelled():
        running.result()
