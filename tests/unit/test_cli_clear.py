"""`coatcheck clear`, without a server."""

import json
from pathlib import Path
from typing import Any

import click.testing
import pytest
from click.testing import CliRunner
from tests.support.conversations import SHAPES, Say, rounds

import coatcheck
from coatcheck.cli import main

MESSAGES = SHAPES["chat"]([*rounds(8, size=800), Say("user", "and now?")])
RULES: dict[str, Any] = {"clearing_token_threshold": 100, "keep_recent_tokens": 300}
OPTIONS = ("--local", "--clearing-token-threshold", "100", "--keep-recent-tokens", "300")


def run(*args: str | Path, text: str | None = None) -> click.testing.Result:
    return CliRunner().invoke(main, ["clear", *map(str, args)], input=text, env={"COATCHECK_SESSION": ""})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "messages.json"
    path.write_text(json.dumps(MESSAGES))
    return path


def test_messages_come_back_in_their_shape(file: Path) -> None:
    got = run(*OPTIONS, file)
    assert json.loads(got.stdout) == coatcheck.clear(MESSAGES, **RULES).messages != MESSAGES
    assert "results cleared" in got.stderr


def test_standard_input_is_read() -> None:
    assert json.loads(run(*OPTIONS, "-", text=json.dumps(MESSAGES)).stdout)[2]["content"].startswith("[Old")


def test_json_is_the_whole_reply(file: Path) -> None:
    reply = json.loads(run(*OPTIONS, "--json", file).stdout)
    assert list(reply) == ["messages", "cleared", "tokens_before", "tokens_after", "offloaded"]
    assert reply["cleared"][0] == {"index": 2, "call_id": "call_0", "ref": None, "tokens": 200}


@pytest.mark.parametrize(
    "options", [("--exclude-tools", "a, bash"), ("--tools", '{"bash": {"never": true}}'), ("--keep-rounds", "8")]
)
def test_what_is_to_stay_stays(file: Path, options: tuple[str, ...]) -> None:
    assert json.loads(run(*OPTIONS, *options, file).stdout) == MESSAGES


def test_an_agent_without_tools_is_told_of_none() -> None:
    ref = f"coat://s1/c-{'0' * 32}"
    stored = json.dumps([{"role": "tool", "tool_call_id": "c", "tokens": 9000, "ref": ref}, MESSAGES[-1]])
    now = ("--local", "--json", "--clearing-token-threshold", "0", "--keep-recent-tokens", "0", "-")
    told = json.loads(run(*now, text=stored).stdout)["cleared"][0]["placeholder"]
    quiet = json.loads(run("--no-retrieval", *now, text=stored).stdout)["cleared"][0]["placeholder"]
    assert quiet == f"[Old tool result content cleared]\nref: {ref}"
    assert told.startswith(f"{quiet}\n")


@pytest.mark.parametrize("text", ["", "{}", "[", '"a"', "[" * 100_000])
def test_what_is_no_list_of_messages_is_told(text: str) -> None:
    got = run(*OPTIONS, "-", text=text)
    assert got.exit_code == 1
    assert "no JSON list of messages" in got.stderr


@pytest.mark.parametrize("tools", ["{", '{"bash": {"kep": 1}}', "[]"])
def test_wrong_rules_by_tool_are_told(file: Path, tools: str) -> None:
    got = run(*OPTIONS, "--tools", tools, file)
    assert got.exit_code == 2
    assert "--tools" in got.stderr
