"""Whatever a model gives: a bounded text, and never an exception."""

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.originals import Shelf
from tests.support.shelf_client import ShelfClient

from coatcheck.tools import ToolAnswer
from coatcheck.tools.calling import call_tool
from coatcheck.tools.catalogue import TOOLS, Tool
from coatcheck_core.settings import load

ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=30)
ODD = st.sampled_from(
    ["", "null", "-1", "0", "1e400", "true", "/", "..", "coat://s1/call_1", "lines", "*", "(", "é" * 3000]
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT | ODD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)
REF = "REF"


@st.composite
def calls(draw: st.DrawFn) -> tuple[Tool, Any]:
    """A tool, and arguments that bear its names more often than not."""
    tool = draw(st.sampled_from(TOOLS))
    if draw(st.integers(0, 9)) == 0:
        return tool, draw(ANYTHING)
    names = st.sampled_from(list(tool.fields)) | ANY_TEXT
    return tool, draw(st.dictionaries(names, ANYTHING | st.just(REF) | st.integers(-3, 300), max_size=6))


@settings(max_examples=60, deadline=None)
@given(call=calls(), most=st.sampled_from([2000, 20_000]), language=st.sampled_from(["en", "zh"]))
def test_any_call_is_answered_by_a_bounded_text(call: tuple[Tool, Any], most: int, language: Any) -> None:
    tool, arguments = call
    by = load(assignments=[f"retrieval.tool_max_chars={most}"])[0]

    async def answered() -> ToolAnswer:
        client = ShelfClient(Shelf())
        ref = await client.shelf.keep("a line\n" * 1000)
        given = (
            {name: ref if value == REF else value for name, value in arguments.items()}
            if isinstance(arguments, dict)
            else arguments
        )
        return await call_tool(client, "s1", tool.name(by), given, settings=by, language=language)

    answer = asyncio.run(answered())
    assert 0 < len(answer.text) <= most
    answer.text.encode()
    told = answer.text.partition("]\n")[2] if answer.text.startswith(("[Ignored", "[已忽略")) else answer.text
    assert answer.is_error == told.startswith(("Error (", "错误("))
