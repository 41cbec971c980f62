"""How the checks say what they expect: an `assert` would vanish under `python -O`, and they run in other projects."""

from collections.abc import Awaitable
from uuid import uuid4


def below() -> str:
    """A folder of one's own."""
    return f"checks/{uuid4().hex}/"


async def must_raise(kind: type[BaseException], attempt: Awaitable[object]) -> None:
    try:
        outcome = await attempt
    except kind:
        return
    raise AssertionError(f"{kind.__name__} should have been raised, got {outcome!r:.200}")


def same(got: object, wanted: object) -> None:
    if got != wanted:
        raise AssertionError(f"wanted {wanted!r:.1000}, got {got!r:.1000}")


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)
