"""What the commands that publish a result have in common."""

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from .options import ResultOptions, fields_of

if TYPE_CHECKING:
    from coatcheck.client import Client, Published, ResultStream
    from coatcheck_schemas.events import StubEvent


def stream_of(client: "Client", options: ResultOptions, tool_name: str) -> "ResultStream":
    """The stream of the result that the options describe."""
    return client.stream(options["session"], tool_name=tool_name, **fields_of(options))


def write_outcome(done: "StubEvent | Published", *, as_json: bool) -> int:
    """What stands for the result, or what it is known by where this user hears no stub; and the exit code."""
    from coatcheck_schemas.events import StubEvent

    from .output import write_event, write_json, write_line

    if isinstance(done, StubEvent):
        write_event(done, as_json=as_json)
        return 1 if done.disposition == "failed" else 0
    if as_json:
        write_json(done)
    else:
        write_line(f"published as {done.result_id}; this user hears no stubs: its stub goes to the session's agent")
    return 0


class Terminated(click.ClickException):
    """A SIGTERM came."""

    exit_code = 128 + signal.SIGTERM

    def __init__(self) -> None:
        super().__init__("terminated")


@contextmanager
def terminable() -> Iterator[None]:
    """While it is entered, a SIGTERM is an exception of this task: what is published in part is told of as that.

    Raises Terminated. Only a program's main thread hears signals; in another nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    is_terminated = False

    def terminate() -> None:
        nonlocal is_terminated
        is_terminated = True
        if task is not None:
            task.cancel()

    loop.add_signal_handler(signal.SIGTERM, terminate)
    try:
        yield
    except asyncio.CancelledError:
        if not is_terminated or task is None:
            raise
        task.uncancel()
        raise Terminated from None
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
