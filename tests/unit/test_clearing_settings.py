"""The rules of a deployment, where a request leaves them out."""

from typing import Any

import msgspec
import pytest
from tests.support.conversations import SHAPES, Say, rounds

from coatcheck_core.clearing import PLACEHOLDER, clear, light_of
from coatcheck_core.clearing.requested import reply_of, rules_of, stores
from coatcheck_core.settings import ConfigError, Settings, load
from coatcheck_core.settings.model import ClearingSettings
from coatcheck_schemas.clearing import ClearRequest

CONVERSATION = [*rounds(8, size=800, argument="ls " * 100), Say("user", "and now?")]
SMALL = ("clearing.clearing_token_threshold=100", "clearing.keep_recent_tokens=300")


def settings(*assignments: str) -> Settings:
    return load(assignments=[*SMALL, *assignments])[0]


def cleared(usual: Settings, **fields: Any) -> Any:
    request = msgspec.convert({"messages": SHAPES["chat"](CONVERSATION), **fields}, ClearRequest)
    return reply_of(clear(request.messages, rules_of(request, usual)))


@pytest.mark.parametrize(
    "assignment",
    [
        "clearing.clearing_token_threshold=100000",
        "clearing.keep_recent_tokens=1000",
        "clearing.clear_at_least_tokens=100000",
        "clearing.placeholder=gone",
        "clearing.exclude_tools=[bash]",
        "clearing.keep_rounds=5",
        "clearing.clear_arguments=true",
        "tools.bash.clear.never=true",
        "tools.bash.clear.keep=5",
        "tools.bash.clear.placeholder=gone",
        "tools.bash.clear.clear_arguments=true",
    ],
)
def test_each_takes_effect(assignment: str) -> None:
    assert cleared(settings()) != cleared(settings(assignment))


@pytest.mark.parametrize("field", [field.name for field in msgspec.structs.fields(ClearingSettings)])
def test_each_is_a_field_of_a_request(field: str) -> None:
    assert field in {known.name for known in msgspec.structs.fields(ClearRequest)}


@pytest.mark.parametrize(
    ("assignment", "fields"),
    [
        ("clearing.clearing_token_threshold=100000", {"clearing_token_threshold": 100}),
        ("clearing.keep_recent_tokens=1000", {"keep_recent_tokens": 300}),
        ("clearing.clear_at_least_tokens=100000", {"clear_at_least_tokens": 0}),
        ("clearing.placeholder=gone", {"placeholder": PLACEHOLDER}),
        ("clearing.exclude_tools=[bash]", {"exclude_tools": []}),
        ("clearing.keep_rounds=5", {"keep_rounds": 0}),
        ("clearing.clear_arguments=true", {"clear_arguments": False}),
        ("tools.bash.clear.never=true", {"tools": {"bash": {"never": False}}}),
        ("tools.bash.clear.keep=5", {"tools": {"bash": {"keep": 0}}}),
        ("tools.bash.clear.placeholder=gone", {"tools": {"bash": {"placeholder": PLACEHOLDER}}}),
        ("tools.bash.clear.clear_arguments=true", {"tools": {"bash": {"clear_arguments": False}}}),
    ],
)
def test_a_request_goes_before_each(assignment: str, fields: dict[str, Any]) -> None:
    assert cleared(settings(assignment), **fields) == cleared(settings())


def test_a_rule_of_a_request_leaves_a_tools_other_settings_alone() -> None:
    got = cleared(settings("tools.bash.clear.placeholder=gone"), tools={"bash": {"keep": 3}})
    assert [item.call_id for item in got.cleared] == [f"call_{number}" for number in range(5)]
    assert got.messages[2]["content"] == "gone"


def test_nothing_is_stored_where_the_settings_or_the_request_say_so() -> None:
    request, without = ClearRequest(messages=[]), ClearRequest(messages=[], offload=False)
    assert [stores(request, settings()), stores(without, settings())] == [True, False]
    assert not stores(request, settings("clearing.offload=false"))
    assert stores(ClearRequest(messages=[], offload=True), settings("clearing.offload=false"))


def test_what_was_cleared_by_the_settings_is_known_by_a_request_with_a_placeholder_of_its_own() -> None:
    usual = settings("clearing.placeholder=gone for good", "tools.bash.clear.placeholder=of bash")
    for before in ({}, {"tools": {"bash": {"placeholder": "gone for good"}}}):
        first = cleared(usual, **before)
        request = msgspec.convert({"messages": first.messages, "placeholder": "another"}, ClearRequest)
        again = clear(request.messages, rules_of(request, usual))
        assert first.cleared
        assert (again.messages, again.cleared) == (first.messages, [])


def test_of_a_light_message_the_reply_says_what_is_to_stand_in_its_place() -> None:
    light = light_of(SHAPES["chat"](CONVERSATION))
    assert {item.placeholder for item in cleared(settings(), messages=light).cleared} == {msgspec.UNSET}
    told = cleared(settings("clearing.placeholder=gone"), messages=light).cleared
    assert {item.placeholder for item in told} == {"gone"}


@pytest.mark.parametrize(
    "assignment",
    [
        "clearing.keep_rounds=-1",
        "clearing.placeholder=  ",
        f"clearing.placeholder={'x' * 2001}",
        "clearing.keep_round=1",
        "tools.bash.clear.keep=-1",
        "tools.bash.clear.kep=1",
    ],
)
def test_what_cannot_be_is_refused_by_its_name(assignment: str) -> None:
    with pytest.raises(ConfigError, match=assignment.partition("=")[0].rpartition(".")[2]):
        settings(assignment)
