"""A function of the operator's own that a setting names as `module:function`, and the module that it is in."""

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any


def load_function(setting: str, name: str) -> Callable[..., Any]:
    """Import it. Raises ValueError, which names the setting, where there is no such function."""
    function_name = name.partition(":")[2]
    module = load_module(setting, name)
    function = getattr(module, function_name, None)
    if not callable(function):
        raise ValueError(f"{setting} {name!r}: {module.__name__!r} has no function {function_name!r}")
    loaded: Callable[..., Any] = function
    return loaded


def load_module(setting: str, name: str) -> ModuleType:
    """Import the module of `module:function`. Raises ValueError, which names the setting, where that cannot be."""
    module_name, _, function_name = name.partition(":")
    if not (module_name and function_name):
        raise ValueError(f"{setting} {name!r}: a function is named as module:function")
    try:
        return importlib.import_module(module_name)
    except Exception as error:  # whatever the module's own code raises, the setting is what has to change
        raise ValueError(f"{setting} {name!r}: the module {module_name!r} cannot be imported: {error}") from error
