"""What the contract in code consists of, found by looking through its modules."""

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import msgspec

import coatcheck_schemas
from coatcheck_schemas import blocks, keys, permissions, refs, results, said, servers, store, subjects

NEVER_SENT: set[type] = {
    blocks.Block,
    blocks._Members,
    keys.Keys,
    keys.TimeEntry,
    permissions.Permissions,
    refs.Ref,
    results._AnyResult,
    results._AnyTurnEnd,
    results.Received,
    said.Said,
    servers.Servers,
    store.ObjectInfo,
    subjects.CallAddress,
    subjects.Subjects,
    subjects.TurnAddress,
}
"""Structs of the contract that go on no wire as JSON."""


def modules() -> Iterator[ModuleType]:
    for module in pkgutil.iter_modules(coatcheck_schemas.__path__):
        yield importlib.import_module(f"coatcheck_schemas.{module.name}")


def structs() -> set[type[msgspec.Struct]]:
    """Every struct, whether it is sent or not."""
    return {
        value
        for module in modules()
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, msgspec.Struct) and value is not msgspec.Struct
    }


def header_names() -> set[str]:
    """Every constant that is the name of a header, or what one begins with."""
    return {
        value
        for module in modules()
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, str) and value.startswith(("Coat-", "Nats-", "ce-", "content-"))
    }
