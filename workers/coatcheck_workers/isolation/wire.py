"""What passes between a process and its child: calls, what they return, and what they raise.

To the child: a greeting, then calls, each as 8 bytes of length and a pickle. From the child: TAKEN at the greeting and
at each call, before it is begun; then NO_MEMORY, or RETURNED or RAISED with 8 bytes of length and a pickle.
"""

import io
import pickle
import struct
import traceback
from collections.abc import Callable
from inspect import isfunction
from typing import Any

LENGTH = struct.Struct("!Q")
TAKEN = b"T"
RETURNED = b"R"
RAISED = b"E"
NO_MEMORY = b"M"

Greeting = tuple[list[str], int, float]
"""The parent's `sys.path`, the limit of memory in bytes, and the seconds of CPU for one call."""
Call = tuple[Callable[..., Any], tuple[Any, ...]]


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
