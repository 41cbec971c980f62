"""The page of all settings, and the README's table of the first ones, are of the settings that there are."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import yaml
from generate.configuration import variable
from generate.files import CONFIGURATION
from generate.places import ROOT

from coatcheck_core.settings import ConfigError, Settings
from coatcheck_core.settings.layers import load

PAGE = (ROOT / CONFIGURATION).read_text()
ROWS = {
    row[0]: row for row in re.findall(r"^\| `([\w.]+)` \| `(\w+)` \| (.*?) \| (.*?) \| (.*) \|$", PAGE, re.MULTILINE)
}


def leaves(tree: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


DEFAULTS = dict(leaves(msgspec.to_builtins(load(assignments=["tools.NAME.never=false"])[0])))


def test_every_setting_has_a_row_with_its_default_and_its_meaning() -> None:
    assert set(ROWS) == set(DEFAULTS)
    for name, (_, _, kind, default, meaning) in ROWS.items():
        value = DEFAULTS[name]
        assert kind, name
        assert len(meaning) > 5, name
        if isinstance(value, bool):
            assert default == f"`{str(value).lower()}`", name
        elif isinstance(value, (int, float)):
            assert float(default.split(" ")[0]) == value, name
        elif value:
            assert str(value if isinstance(value, str) else value[0]) in default, name


@pytest.mark.parametrize("name", ROWS)
def test_its_environment_variable_is_read(name: str) -> None:
    value = DEFAULTS[name]
    text = yaml.safe_dump(value, default_flow_style=True).splitlines()[0] if not isinstance(value, str) else value
    assert ROWS[name][1] == variable(name)
    assert load(environ={variable(name): text})[1] == {name: variable(name)}


def test_its_three_ways_to_say_it_say_the_same() -> None:
    file = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    lines = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert file is not None
    assert lines is not None
    said = lines[1].splitlines()
    environ = dict(line.split("=", 1) for line in said if not line.startswith("--set"))
    given = [line.removeprefix("--set ") for line in said if line.startswith("--set")]
    assert load(file=("a.yaml", file[1]))[0] == load(environ=environ, assignments=given)[0] != Settings()


@pytest.mark.parametrize(
    "together",
    [
        ["nats.tls_key_file=a.key"],
        ["requests.search_seconds=8"],
        ["requests.patience_seconds=6.6"],
        ["requests.delete_seconds=45.6"],
        ["requests.waiting_bytes=100000"],
    ],
)
def test_what_must_go_together_is_refused_as_the_page_says(together: list[str]) -> None:
    names = [name for name in re.findall(r"`([\w.]+)`", PAGE.split("## What must go together")[1]) if name in DEFAULTS]
    with pytest.raises(ConfigError) as caught:
        load(assignments=together)
    assert together[0].split("=")[0] in names
    assert together[0].split("=")[0] in str(caught.value)


def test_the_readme_names_settings_that_there_are() -> None:
    table = (ROOT / "README.md").read_text().partition("## Configuration")[2].partition("\n## ")[0]
    rows = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `")]
    assert len(rows) > 10
    for row in rows:
        group = ""
        for name in re.findall(r"`([\w.]+)`", row):
            whole = name if name in DEFAULTS else f"{group}{name}"
            assert whole in DEFAULTS, row
            group = whole.rpartition(".")[0] + "."
