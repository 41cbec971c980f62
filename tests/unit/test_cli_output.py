"""What is printed of a result: exactly into a pipe, safely on a terminal; and what is said beside it."""

import msgspec
import pytest

from coatcheck.cli import output
from coatcheck.cli.commands.watch import header
from coatcheck.cli.listing import kind_and_format, nothing
from coatcheck.cli.output import write_content, write_json
from coatcheck.cli.reading import Reading, going_on
from coatcheck_core.stub.escaping import escape
from coatcheck_schemas.events import StubEvent
from coatcheck_schemas.requests import Unit

HOSTILE = "a\x1b[2Jb\n\u202ec"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "on_terminal", lambda: True)


@pytest.mark.parametrize("content", ["", "x", "x\n", HOSTILE, "é\r\n"])
def test_a_pipe_gets_a_content_exactly(capfdbinary: pytest.CaptureFixture[bytes], content: str) -> None:
    write_content(content)
    write_content(content.encode())
    assert capfdbinary.readouterr().out == content.encode() * 2


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("", b""),
        (b"", b""),
        ("x", b"x\n"),
        ("x\n", b"x\n"),
        (b"x", b"x\n"),
        (HOSTILE, b"a\\u001b[2Jb\n\\u202ec\n"),
        (HOSTILE.encode(), b"a\\u001b[2Jb\n\\u202ec\n"),
        (b"\xff\n", "\ufffd\n".encode()),
    ],
    ids=repr,
)
def test_a_terminal_gets_it_safely_and_with_a_line_end(
    capfdbinary: pytest.CaptureFixture[bytes], content: str | bytes, shown: bytes
) -> None:
    write_content(content)
    assert capfdbinary.readouterr().out == shown


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("indent", [-1, 2])
def test_json_on_a_terminal_means_the_same_and_controls_nothing(
    capfdbinary: pytest.CaptureFixture[bytes], indent: int
) -> None:
    value = {"tool_name": "\x9b31m\u202e\x7f\U000e0001\n", "plain": "é世界", HOSTILE: [1, {}]}
    write_json(value, indent=indent)
    shown = capfdbinary.readouterr().out
    assert msgspec.json.decode(shown) == value
    text = shown.decode()
    assert escape(text.replace("\n", "")) == text.replace("\n", "")
    assert "é世界" in text


def test_json_in_a_pipe_is_as_it_is(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_json({"a": "\x9b\u202e"})
    assert capfdbinary.readouterr().out == b'{"a":"\xc2\x9b\xe2\x80\xae"}\n'


@pytest.mark.parametrize(
    ("limit", "numbered", "unit", "hint"),
    [
        (None, False, "lines", "--offset 3 --unit lines"),
        (3, False, "lines", "--offset 3 --unit lines --limit 3"),
        (3, True, "lines", "--offset 3 --unit lines --numbered --limit 3"),
        (-1, True, "lines", "--offset 3 --unit lines --numbered"),
        (3, True, "chars", "--offset 3 --unit chars"),
    ],
)
def test_the_hint_goes_on_as_was_asked(limit: int | None, numbered: bool, unit: Unit, hint: str) -> None:
    reading = Reading(session="s", ref="r", offset=0, limit=limit, unit="lines", numbered=numbered)
    assert going_on(reading, unit, 3) == hint


def test_a_kind_is_shown_with_its_format() -> None:
    assert [kind_and_format("code", "python"), kind_and_format("json", "json"), kind_and_format("text", None)] == [
        "code/python",
        "json",
        "text",
    ]


def test_an_empty_list_says_whether_filters_made_it_so() -> None:
    assert nothing("s", filtered=True, unfinished=False) == "none of the results stored for session 's' match"
    assert "only offloaded ones are listed" in nothing("s", filtered=False, unfinished=False)
    assert nothing("s", filtered=False, unfinished=True) == "none found yet"


def test_a_header_names_an_event_safely() -> None:
    event = StubEvent(
        session_id="s",
        turn_id="t",
        call_id="c\x1b",
        tool_name="ls\n",
        disposition="inline",
        content="",
        created_at="",
    )
    assert header(event) == "ls\\n (call c\\u001b, turn t, inline)"
