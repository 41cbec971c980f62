"""The page for those who come from other projects says what the code has: its settings, fields and files are tried."""

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from coatcheck.tools import definitions
from coatcheck_core.settings import Settings, load
from coatcheck_core.settings.model import ToolSettings
from coatcheck_schemas.clearing import ClearRequest, ClearRule
from coatcheck_schemas.events import Disposition, Reason, StubEvent, ToolResult

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "options.md").read_text()
FILES: list[str] = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
SECTIONS = {field.name: field.type for field in msgspec.structs.fields(Settings)}


def settings_named() -> list[str]:
    """What is in backticks and begins with a section of the settings, a value after it left out."""
    words = re.findall(r"`(\w+(?:\.\w+)+)(?:: \w+)?`", PAGE)
    return sorted({word for word in words if word.partition(".")[0] in SECTIONS})


def is_setting(name: str) -> bool:
    """Whether there is a setting of this name."""
    section, *path = name.split(".")
    kind = SECTIONS[section]
    if section == "tools":
        kind, path = ToolSettings, path[1:]
    for key in path:
        fields = {field.name: field.type for field in msgspec.structs.fields(kind)}
        if key not in fields:
            return False
        kind = fields[key]
    return True


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading, without its head."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = [line for line in section.splitlines() if line.startswith("| ")]
    assert len(found) > 2, f"no table under {heading!r}"
    return [line.strip("| ").split(" | ") for line in found[2:]]


@pytest.mark.parametrize("name", settings_named())
def test_a_setting_that_is_named_is_one(name: str) -> None:
    assert is_setting(name)


def test_what_is_no_setting_would_be_found() -> None:
    assert len(settings_named()) > 20
    assert not is_setting("stub.colour")
    assert not is_setting("tools.NAME.result.colour")


@pytest.mark.parametrize("text", FILES)
def test_a_file_of_settings_is_valid_and_changes_what_it_says(text: str) -> None:
    loaded, _ = load(("options.md", text))
    assert loaded != Settings()


def test_there_is_a_file_for_each_of_the_two() -> None:
    assert len(FILES) == 2


def test_every_rule_of_clear_has_its_place_in_the_table() -> None:
    told = {word for cells in rows("Eino: clearing old results") for word in re.findall(r"`(\w+)", cells[1])}
    known = {field.name for kind in (ClearRequest, ClearRule) for field in msgspec.structs.fields(kind)}
    assert known - {"messages", "keep"} <= told


def test_what_a_message_says_is_told_by_fields_that_there_are() -> None:
    ours = {field.name for kind in (StubEvent, ToolResult) for field in msgspec.structs.fields(kind)}
    values = {*get_args(Disposition), *get_args(Reason)}
    named = {word for _, cell in rows("OpenViking: what a message says of it") for word in re.findall(r"`(\w+)`", cell)}
    assert named - values <= ours


def test_every_tool_for_files_is_told_by_its_name_and_its_setting() -> None:
    named = Settings().filesystem
    for field in msgspec.structs.fields(named):
        assert f"`filesystem.{field.name}`" in PAGE
        assert f"`{getattr(named, field.name)}`" in PAGE


def test_the_names_in_the_second_file_are_those_of_the_definitions() -> None:
    loaded, _ = load(("options.md", FILES[1]))
    names = {definition["name"] for definition in definitions(format="mcp", settings=loaded)}
    retrieval = loaded.retrieval
    assert {retrieval.read_tool, retrieval.search_tool, retrieval.list_tool} <= names
    assert retrieval.read_tool.startswith("openviking_")
