"""How the checks say what they expect: an `assert` would vanish under `python -O`, and they run in other projects."""

from collections.abc import Awaitable
from uuid import uuid4


def below() -> str:
    """A folder of one's own."""
    return f"checks/{uuid4().hex}/"


async def must_raise(kind: type[BaseException], attempt: Awaitable[object]) -> None:
    """Raises AssertionError where the attempt ends otherwise, what else it raises as it is."""
    try:
        outcome = await attempt
    except kind:
        return
    raise AssertionError(f"{kind.__name__} should have been raised, got {outcome!r:.200}")


def same(got: object, wanted: object) -> None:
    """Raises AssertionError, with as much of both as a line takes."""
    if got != wanted:
        raise AssertionError(f"wanted {wanted!r:.1000}, got {got!r:.1000}")


def expect(holds: bool, otherwise: str) -> None:
    """Raises AssertionError with the words of `otherwise`."""
    if not holds:
        raise AssertionError(otherwise)
