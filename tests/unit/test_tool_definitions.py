"""Tool definitions: of the requests' own types, and within the rules of each format."""

import itertools
import re
from typing import Any, get_args

import msgspec
import pytest
from click.testing import CliRunner

from coatcheck.cli import main
from coatcheck.cli.commands.tools import FORMATS
from coatcheck.tools import Format, Language, definitions
from coatcheck.tools.catalogue import TOOLS, Tool
from coatcheck.tools.wording import phrases, tool_words
from coatcheck_core.settings import Settings, load
from coatcheck_schemas.errors import InvalidInput

FORMS: tuple[Format, ...] = get_args(Format)
LANGUAGES: tuple[Language, ...] = get_args(Language)


def plain(made: dict[str, Any]) -> dict[str, Any]:
    """Name, description and schema of a definition in any format."""
    function = made.get("function") or made
    schema = next(function[key] for key in ("parameters", "input_schema", "inputSchema") if key in function)
    return {"name": function["name"], "description": function["description"], "schema": schema}


EVERY = [
    pytest.param(plain(made), id=f"{form}-{language}-{plain(made)['name']}")
    for form, language in itertools.product(FORMS, LANGUAGES)
    for made in definitions(format=form, language=language, settings=Settings())
]


def settings(*assignments: str) -> Settings:
    return load(assignments=assignments)[0]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.key)
def test_every_field_of_a_request_is_an_argument_or_left_out_on_purpose(tool: Tool) -> None:
    names = {field.name for field in msgspec.structs.fields(tool.request)}
    assert tool.left_out < names
    assert set(tool.fields) == names - tool.left_out
    for language in LANGUAGES:
        assert set(tool_words(language)[tool.key].fields) == set(tool.fields)
    assert set(tool.choices) | tool.verbatim <= set(tool.fields)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.key)
def test_types_choices_and_defaults_are_those_of_the_request(tool: Tool) -> None:
    _, components = msgspec.json.schema_components([tool.request])
    theirs = components[tool.request.__name__]["properties"]
    (ours,) = definitions(format="mcp", settings=Settings(), names=[tool.name(Settings())])
    for name, schema in ours["inputSchema"]["properties"].items():
        expected = theirs[name]
        bare = next((one for one in expected.get("anyOf", []) if one["type"] != "null"), expected)
        assert schema.get("default") == expected.get("default")
        if name in tool.choices:
            assert schema["enum"] == list(tool.choices[name])
        elif "enum" in bare:
            assert sorted(schema["enum"]) == sorted(bare["enum"])
        else:
            assert schema["type"] == bare["type"]


@pytest.mark.parametrize("one", EVERY)
def test_a_definition_keeps_the_rules_of_its_format(one: dict[str, Any]) -> None:
    schema = one["schema"]
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", one["name"])
    assert 20 <= len(one["description"]) <= 1024
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) <= set(schema["properties"])
    for argument in schema["properties"].values():
        assert set(argument) <= {"type", "enum", "default", "description"}
        assert argument["description"].strip() == argument["description"] != ""
        types = argument["type"] if isinstance(argument["type"], list) else [argument["type"]]
        assert set(types) <= {"string", "integer", "boolean", "null"}
        assert ("null" in types) == (None in argument.get("enum", [None] if "null" in types else []))


@pytest.mark.parametrize("form", ["openai", "openai-responses"])
def test_strict_means_that_all_is_required_and_nothing_has_a_default(form: Format) -> None:
    for made in definitions(format=form, settings=Settings()):
        function = made.get("function") or made
        schema = function["parameters"]
        assert (made["type"], function["strict"]) == ("function", True)
        assert schema["required"] == list(schema["properties"])
        assert not [name for name, argument in schema["properties"].items() if "default" in argument]


def test_strict_arguments_that_may_be_left_out_may_be_null_and_tell_their_default() -> None:
    read = definitions(format="openai", settings=Settings())[0]["function"]["parameters"]["properties"]
    assert read["ref"]["type"] == "string"
    assert read["offset"]["type"] == ["integer", "null"]
    assert read["offset"]["description"].endswith("Default: 0.")
    assert read["unit"]["enum"] == ["chars", "lines", "bytes", None]


@pytest.mark.parametrize("form", ["anthropic", "mcp"])
def test_elsewhere_only_what_must_be_given_is_required(form: Format) -> None:
    made = definitions(format=form, settings=Settings())
    schemas = [one.get("input_schema") or one["inputSchema"] for one in made]
    assert [schema["required"] for schema in schemas[:3]] == [["ref"], ["query"], []]


def test_mcp_tells_which_tools_change_nothing() -> None:
    made = {one["name"]: one["annotations"] for one in definitions(format="mcp", settings=Settings())}
    for tool in TOOLS:
        assert made[tool.name(Settings())]["readOnlyHint"] is tool.is_read_only


def test_names_are_those_of_the_settings() -> None:
    made = definitions(format="anthropic", settings=settings("retrieval.read_tool=peek", "filesystem.ls_tool=dir"))
    names = [one["name"] for one in made]
    assert "peek" in names
    assert "tool_result_read" not in names


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.key)
def test_each_tool_has_a_setting_for_its_name(tool: Tool) -> None:
    made = definitions(format="mcp", settings=settings(f"{tool.section}.{tool.setting}=renamed"))
    usual = definitions(format="mcp", settings=Settings())
    assert [one["name"] for one in made] == [
        "renamed" if one["name"] == tool.name(Settings()) else one["name"] for one in usual
    ]


def test_without_settings_those_of_the_environment_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COATCHECK_FILESYSTEM__GREP_TOOL", "find_in_files")
    monkeypatch.setenv("COATCHECK_STUB__LANGUAGE", "zh")
    made = definitions(format="mcp")[-1]
    assert (made["name"], made["title"]) == ("find_in_files", tool_words("zh")["fs_grep"].title)


def test_a_description_can_be_replaced() -> None:
    given = settings("tools.tool_result_read.description=Look it up: carefully.")
    made = definitions(format="anthropic", language="zh", settings=given)
    assert made[0]["description"] == "Look it up: carefully."
    assert made[1]["description"] == tool_words("zh")["search"].description


def test_the_language_is_that_of_stubs_unless_another_is_asked_for() -> None:
    by = settings("stub.language=zh")
    assert definitions(format="mcp", settings=by)[0]["title"] == tool_words("zh")["read"].title
    assert definitions(format="mcp", settings=by, language="en")[0]["title"] == tool_words("en")["read"].title


@pytest.mark.parametrize(
    ("by", "session"), [("retrieval.enabled=false", ""), ("retrieval.sessions_without=[sub-*]", "sub-1")]
)
def test_a_session_without_retrieval_tools_is_given_none(by: str, session: str) -> None:
    given = {one["name"] for one in definitions(format="mcp", settings=settings(by), session=session)}
    every = {one["name"] for one in definitions(format="mcp", settings=Settings())}
    assert every - given == {"tool_result_read", "tool_result_search", "tool_result_list"}


def test_only_the_tools_that_are_named_are_given() -> None:
    made = definitions(format="mcp", settings=Settings(), names=["tool_result_list", "tool_result_list"])
    assert [one["name"] for one in made] == ["tool_result_list"]


@pytest.mark.parametrize(
    ("by", "asked", "told"),
    [
        ([], {"names": ["nothing"]}, "there is no tool 'nothing': the names are tool_result_read, tool_result_search"),
        ([], {"format": "xml"}, "the format is one of openai, openai-responses, anthropic, mcp; got 'xml'"),
        ([], {"language": "fr"}, "the language is en or zh; got 'fr'"),
        (
            ["retrieval.read_tool=a b"],
            {},
            "retrieval.read_tool is 'a b': a tool's name in the format openai must match",
        ),
        (
            ["retrieval.read_tool=x", "retrieval.list_tool=x"],
            {},
            "retrieval.read_tool and retrieval.list_tool both name",
        ),
        (
            [f"tools.tool_result_read.description={'x' * 1025}"],
            {},
            "tools.tool_result_read.description has 1025 chars: the format openai takes 1024",
        ),
    ],
)
def test_what_cannot_be_defined_is_told(by: list[str], asked: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput) as error:
        definitions(settings=settings(*by), **asked)
    assert told in str(error.value)


def test_phrases_have_the_same_fields_in_every_language() -> None:
    for name in phrases("en").__struct_fields__:
        fields = [
            sorted(set(re.findall(r"(?<!\{)\{(\w+)\}(?!\})", getattr(phrases(language), name))))
            for language in LANGUAGES
        ]
        assert fields[0] == fields[1], name


def test_the_command_prints_the_definitions_without_any_server() -> None:
    assert FORMATS == FORMS
    done = CliRunner().invoke(
        main, ["tools", "--format", "mcp", "--language", "zh", "--names", "tool_result_read, tool_result_list"]
    )
    assert done.exit_code == 0
    names = ["tool_result_read", "tool_result_list"]
    assert msgspec.json.decode(done.output) == definitions(
        format="mcp", language="zh", settings=Settings(), names=names
    )


def test_the_command_tells_an_unknown_tool_in_one_line() -> None:
    done = CliRunner().invoke(main, ["tools", "--names", "nothing"])
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert "there is no tool 'nothing'" in done.output
