"""What passes between a process and its child: calls, what they return, and what they raise.

To the child: a greeting, then calls, each as 8 bytes of length and a pickle; a call's long bytes follow by themselves,
for a pickle would hold them once more on either side. From the child: TAKEN at the greeting and at each call, before it
is begun; then NO_MEMORY, or RETURNED or RAISED with 8 bytes of length and a pickle.
"""

import io
import pickle
import struct
import traceback
from collections.abc import Callable
from inspect import isfunction
from typing import Any, NamedTuple

LENGTH = struct.Struct("!Q")
TAKEN = b"T"
RETURNED = b"R"
RAISED = b"E"
NO_MEMORY = b"M"

Greeting = tuple[list[str], int, float]
"""The parent's `sys.path`, the limit of memory in bytes, and the seconds of CPU for one call."""
Head = tuple[list[int], bytes]
"""Of a call: how many bytes each of its attachments has, and the pickle of the function and its arguments."""

ATTACHED_BYTES = 64 * 1024
"""An argument of bytes that is longer is attached."""


class Call(NamedTuple):
    """As it is sent; the attachments are the caller's own bytes, not copied."""

    head: bytes
    attachments: list[memoryview]


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        """An exception with an initializer of its own: pickle would call that with what it gave to its base."""
        if isinstance(value, BaseException) and isfunction(type(value).__init__):
            return _rebuild, (type(value), value.args, value.__dict__)
        return NotImplemented


def dump(value: Any) -> bytes:
    """Raises what pickle raises for what has no name to be found by: a lambda, an object that holds a socket."""
    buffer = io.BytesIO()
    _Pickler(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    return buffer.getvalue()


def dump_call(function: Callable[..., Any], args: tuple[Any, ...]) -> Call:
    """Raises what `dump` raises."""
    attachments: list[pickle.PickleBuffer] = []
    buffer = io.BytesIO()
    pickler = _Pickler(buffer, protocol=pickle.HIGHEST_PROTOCOL, buffer_callback=attachments.append)
    pickler.dump((function, tuple(map(_attachable, args))))
    views = [attachment.raw() for attachment in attachments]
    head: Head = ([view.nbytes for view in views], buffer.getvalue())
    return Call(dump(head), views)


def load_call(pickled: bytes, attachments: list[bytes]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Each attachment is the argument itself: bytes again."""
    function, args = pickle.loads(pickled, buffers=attachments)  # noqa: S301 - as in `load`
    return function, args


def _attachable(value: Any) -> Any:
    is_long = type(value) is bytes and len(value) > ATTACHED_BYTES
    return pickle.PickleBuffer(value) if is_long else value


def dump_error(error: Exception) -> bytes:
    """With its traceback as a note; as a RuntimeError with its text where it could not be read again."""
    error.add_note("In the child process:\n" + "".join(traceback.format_exception(error)))
    try:
        data = dump(error)
        load(data)
    except Exception as trouble:
        told = RuntimeError(f"{type(error).__name__}: {error} (as text, for its pickle fails: {trouble})")
        told.__notes__ = error.__notes__
        return dump(told)
    return data


def load(data: bytes) -> Any:
    """Of what this program itself has written, on either side of a pipe that nobody else has."""
    return pickle.loads(data)  # noqa: S301


def _rebuild(kind: type[BaseException], args: tuple[Any, ...], state: dict[str, Any]) -> BaseException:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error
