"""The style of a stub: one of our own, or a function of the operator's that `stub.style` names."""

from collections.abc import Callable, Iterable
from typing import Any

from coatcheck_core.loading import load_function
from coatcheck_core.settings.model import RetrievalSettings, Settings, StubSettings

from .escaping import escape
from .lined import render_lines, shortest_lines
from .rendering import render_typed, shortest_typed
from .subject import StubSubject

Render = Callable[[StubSubject, StubSettings, RetrievalSettings], str]
"""A style: the stub's text, at most `stub.max_chars` long, which depends on nothing but the arguments.

It ought to name `subject.ref`, by which the original is read, and `retrieval.read_tool` where `subject.retrieval`.
"""

OUR_STYLES: dict[str, Render] = {"typed": render_typed, "lines": render_lines}
_SHORTEST: dict[str, Render] = {"typed": shortest_typed, "lines": shortest_lines}


def render_stub(subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings) -> str:
    """In the style that is set. Raises ValueError where that is a function that cannot be loaded."""
    return Styles([stub.style])(subject, stub, retrieval)


def shortest_stub(subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings) -> str:
    """What stands in a result's stub whatever its synopsis and its text say: every stub of it is at least as long.

    Nothing, where only somebody else's function knows.
    """
    shortest = _SHORTEST.get(stub.style)
    return shortest(subject, stub, retrieval) if shortest is not None else ""


def styles_of(settings: Settings, tell: Callable[[str], None]) -> "Styles":
    """Those that the settings name, for every tool and for single ones. Raises ValueError as `Styles` does."""
    own = [tool.stub.style for tool in settings.tools.values() if tool.stub.style is not None]
    return Styles([settings.stub.style, *own], tell)


class Styles:
    """Renders in whichever of some styles the settings of a stub name.

    A function of somebody else's never costs a result: where it raises an exception, or gives what no stub can be (no
    text, none at all, more than `stub.max_chars`), the stub is the typed one, and `tell` hears of it the first time.
    """

    def __init__(self, names: Iterable[str], tell: Callable[[str], None] | None = None) -> None:
        """Raises ValueError, which names the setting, where a function cannot be loaded."""
        self._functions = {name: load_function("stub.style", name) for name in names if name not in OUR_STYLES}
        self._tell = tell
        self._told: set[str] = set()

    def __call__(self, subject: StubSubject, stub: StubSettings, retrieval: RetrievalSettings) -> str:
        ours = OUR_STYLES.get(stub.style)
        if ours is not None:
            return ours(subject, stub, retrieval)
        try:
            return _checked(self._functions[stub.style](subject, stub, retrieval), stub.max_chars)
        except Exception as error:  # it is not our code, and its fault is no result's
            self._failed(stub.style, error)
            return render_typed(subject, stub, retrieval)

    def _failed(self, style: str, error: Exception) -> None:
        if self._tell is not None and style not in self._told:
            self._told.add(style)
            self._tell(
                f"stub.style {style!r} failed, and its stubs are typed ones; told once: {type(error).__name__}: {error}"
            )


def _checked(text: Any, max_chars: int) -> str:
    """With every control and bidirectional character escaped, but for the ends of its lines and tabs."""
    if not isinstance(text, str):
        raise TypeError(f"it gave a {type(text).__name__}, not a str")
    if not text.strip():
        raise ValueError("it gave no text")
    if len(text) > max_chars:
        raise ValueError(f"it gave {len(text)} chars, more than stub.max_chars = {max_chars}")
    safe = "\n".join("\t".join(map(escape, line.split("\t"))) for line in text.split("\n"))
    if len(safe) > max_chars:
        raise ValueError(f"it gave {len(safe)} chars, escaped, more than stub.max_chars = {max_chars}")
    return safe
