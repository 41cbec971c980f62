"""Where a text that a tool has cut ends, and its mark begins."""

import pytest

from coatcheck_core.synopsis.cut_mark import cut_mark
from coatcheck_core.synopsis.seen import Seen


@pytest.mark.parametrize(
    "mark",
    [
        "\n... [truncated]",
        "\n[truncated]",
        "...[truncated]",
        "\n\n... (output truncated)\n",
        "\n[... 1234 characters truncated ...]",
        "\n<output clipped>",
        "\n... 120 more lines",
        "\n(120 more lines)",
        "\n...",
        "…",
        "\n… +37 more rows",
        "\nOutput truncated to 20000 characters.",
        "\n***truncated***",
    ],
)
def test_a_mark_begins_where_the_text_ends(mark: str) -> None:
    text = '{"name": "über", "items": [1, 2, {"x": "abc'
    assert cut_mark(Seen((text + mark).encode())) == len(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The list was truncated by the server, and sent again.\n",
        '{"truncated": true}',
        '[{"omitted": 3}]',
        "f(*args, **kwargs)\n",
        "[1, 2, 3]\n",
    ],
)
def test_a_text_that_only_speaks_of_it_has_no_mark(text: str) -> None:
    assert cut_mark(Seen(text.encode())) is None
