"""A property that is computed when it is first asked for, and kept.

Until Python 3.12 `functools.cached_property` has one lock for all instances of its class: while a thread computes one
of a result, the event loop waits that asks for the same of another result. Here there is no lock; nothing that uses
this is shared by threads.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class once(Generic[T]):  # noqa: N801 - a decorator
    """`@once` in place of `@cached_property`; the value lies in the instance's `__dict__` under the method's name."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "once[T]": ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> "once[T] | T":
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
