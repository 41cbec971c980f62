"""What the tools' definitions promise a model, and what is made of its arguments, are the same."""

from functools import cache
from itertools import product
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.support.originals import Shelf
from tests.support.shelf_client import ShelfClient

from coatcheck.tools import Format, Language, definitions
from coatcheck.tools.arguments import BadArguments, understand
from coatcheck.tools.calling import call_tool
from coatcheck.tools.catalogue import TOOLS, Tool
from coatcheck.tools.wording import phrases
from coatcheck_core.settings import Settings
from coatcheck_schemas.requests import MAX_NUMBER

SETTINGS = Settings()
FORMS: tuple[Format, ...] = get_args(Format)
LANGUAGES: tuple[Language, ...] = get_args(Language)
WORDS = phrases("en")
BY_TOOL = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.key)


def schema_of(made: dict[str, Any]) -> dict[str, Any]:
    function = made.get("function") or made
    schema: dict[str, Any] = next(
        function[key] for key in ("parameters", "input_schema", "inputSchema") if key in function
    )
    return schema


@cache
def validator(name: str, form: Format = "mcp") -> Draft202012Validator:
    (made,) = definitions(format=form, settings=SETTINGS, names=[name])
    return Draft202012Validator(schema_of(made))


def schema_for(tool: Tool, form: Format = "mcp") -> dict[str, Any]:
    schema = validator(tool.name(SETTINGS), form).schema
    assert isinstance(schema, dict)
    return schema


def errors(tool: Tool, given: Any, form: Format = "mcp") -> list[str]:
    """Why the schema does not accept it."""
    return [error.message for error in validator(tool.name(SETTINGS), form).iter_errors(given)]


def values(argument: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Those that an argument's schema accepts; a number as large as JSON carries it exactly."""
    if "enum" in argument:
        return st.sampled_from(argument["enum"])
    types = argument["type"] if isinstance(argument["type"], list) else [argument["type"]]
    of = {
        "string": st.text(max_size=40) | st.sampled_from(["null", "", "true", "7", "```json\n{}\n```"]),
        "integer": st.integers(-MAX_NUMBER, MAX_NUMBER),
        "boolean": st.booleans(),
        "null": st.none(),
    }
    return st.one_of(*(of[one] for one in types))


def arguments(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    strategies = {name: values(argument) for name, argument in schema["properties"].items()}
    needed = {name: strategies.pop(name) for name in schema["required"]}
    return st.fixed_dictionaries(needed, optional=strategies)


def is_too_great(value: Any) -> bool:
    """A number that JSON does not carry exactly; no schema says so, a bound for each would cost a model tokens."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > MAX_NUMBER


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def anything(tool: Tool) -> st.SearchStrategy[Any]:
    """Of its names and of others, and what is no object at all."""
    names = st.sampled_from(sorted(tool.fields)) | st.text(max_size=10)
    likely = JSON | st.sampled_from(["5", "5.0", "-1", "yes", "null", "", "line", "LINES", "1e3", 1e300, 2**70])
    return st.dictionaries(names, likely, max_size=6) | JSON


@pytest.mark.parametrize(("form", "language"), [*product(FORMS, LANGUAGES)])
def test_every_schema_is_one_by_the_metaschema(form: Format, language: Language) -> None:
    for made in definitions(format=form, language=language, settings=SETTINGS):
        Draft202012Validator.check_schema(schema_of(made))


@pytest.mark.parametrize(("form", "language"), [*product(("openai", "openai-responses"), LANGUAGES)])
def test_strict_schemas_require_every_argument_and_take_no_other(form: Format, language: Language) -> None:
    for made in definitions(format=form, language=language, settings=SETTINGS):
        assert (made.get("function") or made)["strict"] is True
        schema = schema_of(made)
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])
        assert set(schema) == {"type", "properties", "required", "additionalProperties"}


@BY_TOOL
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_what_the_schema_accepts_is_understood_as_it_is(tool: Tool, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(FORMS))
    given_ = data.draw(arguments(schema_for(tool, form)))
    assert errors(tool, given_, form) == []
    understood = understand(tool, msgspec.json.encode(given_) if data.draw(st.booleans()) else given_, WORDS)
    said = {name: value for name, value in given_.items() if value is not None}
    assert understood.fields.items() <= said.items()
    assert all(str(said[name]).strip().lower() in ("", "null", "none") for name in set(said) - set(understood.fields))
    assert not understood.ignored


@BY_TOOL
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_what_the_schema_does_not_accept_is_an_error_or_understood_as_what_it_does(
    tool: Tool, data: st.DataObject
) -> None:
    given_ = data.draw(anything(tool))
    refused, fields = "", None
    try:
        fields = understand(tool, given_, WORDS).fields
    except BadArguments as error:
        refused = str(error)
    if fields is None:
        assert refused
        assert errors(tool, given_) != [] or any(is_too_great(value) for value in given_.values())
    else:
        assert errors(tool, fields) == []
        msgspec.convert(fields, tool.request)


@BY_TOOL
@given(data=st.data())
@settings(max_examples=5, deadline=None)
async def test_a_call_with_any_arguments_is_answered_with_a_text(tool: Tool, data: st.DataObject) -> None:
    given_ = data.draw(anything(tool) | arguments(schema_for(tool)))
    answer = await call_tool(ShelfClient(Shelf()), "s1", tool.name(SETTINGS), given_, settings=SETTINGS)
    assert 0 < len(answer.text) <= SETTINGS.retrieval.tool_max_chars
    assert "internal" not in answer.text.partition("\n")[0]
