"""Read in small blocks, so that a short text has many block borders."""

import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

import coatcheck_core.synopsis
from coatcheck_core.synopsis.blocks import BLOCK_BYTES

NAME = "BLOCK_BYTES"


@contextmanager
def block_size(size: int) -> Iterator[None]:
    """Within it a block has `size` bytes wherever a module of the synopsis asks for one of the usual size."""
    undo: list[tuple[Any, str, Any]] = []

    def put(owner: Any, name: str, value: Any) -> None:
        undo.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    try:
        for module in _modules():
            if hasattr(module, NAME):
                put(module, NAME, size)
            for function in _functions(module):
                if BLOCK_BYTES in (function.__defaults__ or ()):
                    put(function, "__defaults__", tuple(_swapped(value, size) for value in function.__defaults__ or ()))
                if BLOCK_BYTES in (function.__kwdefaults__ or {}).values():
                    named = {key: _swapped(value, size) for key, value in (function.__kwdefaults__ or {}).items()}
                    put(function, "__kwdefaults__", named)
        yield
    finally:
        for owner, name, value in reversed(undo):
            setattr(owner, name, value)


def _swapped(value: Any, size: int) -> Any:
    return size if isinstance(value, int) and value == BLOCK_BYTES else value


def _modules() -> Iterator[ModuleType]:
    package = coatcheck_core.synopsis
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield import_module(found.name)


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """Those that the module defines, in its classes too."""
    for value in vars(module).values():
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if isinstance(value, FunctionType):
            yield value
        elif isinstance(value, type):
            yield from (member for member in vars(value).values() if isinstance(member, FunctionType))
