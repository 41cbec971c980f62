"""Where an original lies: what a template and a function may say, and what is refused before or at a write."""

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from types import ModuleType

import msgspec
import pytest
from tests.support.deciding import arrived, rules

from coatcheck_core.decision import decide
from coatcheck_core.layout import FIELDS, SAMPLES, LayoutFacts, layout_of, output_key_of
from coatcheck_core.settings import ConfigError
from coatcheck_schemas.errors import InvalidResult
from coatcheck_schemas.keys import Keys

KEYS = Keys("coatcheck")
RID = f"call_1-{'0' * 32}"
FACTS = LayoutFacts(
    session="s1",
    turn="t1",
    call="call_1",
    result_id=RID,
    tool_name="kube ctl/../x",
    agent_id=None,
    kind="json",
    format="ndjson",
    mime_type=None,
    sha256="ab" * 32,
    bytes=7,
    received_at=datetime(2026, 3, 4, 5, 6, tzinfo=UTC),
)


@pytest.fixture
def own() -> Iterator[Callable[[Callable[[LayoutFacts], object]], str]]:
    """Puts a function where `storage.layout` finds it, and says the setting."""
    module = ModuleType("own_layouts")
    sys.modules["own_layouts"] = module

    def put(function: Callable[[LayoutFacts], object]) -> str:
        module.lay = function  # type: ignore[attr-defined]
        return "own_layouts:lay"

    yield put
    del sys.modules["own_layouts"]


def test_default_layout_leaves_the_key_alone() -> None:
    assert layout_of("default", KEYS)(FACTS) is None


@pytest.mark.parametrize(
    ("template", "key"),
    [
        ("{result_id}", RID),
        ("originals/{tool}/{date}/{result_id}.{kind}", f"originals/kube=20ctl=2F=2E=2E=2Fx/2026-03-04/{RID}.json"),
        ("{year}/{month}/{day}/{hour}/{agent}/{result_id}/out", f"2026/03/04/05/=/{RID}/out"),
        ("{turn}/{call}/{format}/{sha256}/{result_id}", f"t1/call_1/ndjson/{'ab' * 32}/{RID}"),
    ],
)
def test_template_is_filled_with_segments(template: str, key: str) -> None:
    assert layout_of(template, KEYS)(FACTS) == key


def test_every_field_of_a_template_is_one_segment_whatever_the_facts() -> None:
    for facts in (FACTS, *SAMPLES):
        for name, value in FIELDS.items():
            assert "/" not in value(facts), name
            assert value(facts) not in ("", ".", ".."), name


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{tool}/{nonsense}/{result_id}", "no field"),
        ("{tool.__class__}/{result_id}", "no field"),
        ("{result_id!r}", "no conversion"),
        ("{result_id:>900}", "no format"),
        ("{result_id", "expected '}'"),
        ("../{result_id}", "no piece may be"),
        ("/{result_id}", "no piece may be"),
        ("a//{result_id}", "no piece may be"),
        ("{result_id}/", "no piece may be"),
        ("{tool}/{date}", "another result could get the same key"),
        ("x{result_id}", "another result could get the same key"),
        ("results/{result_id}/metadata.json", "own files"),
        ("by-time/{result_id}", "own files"),
        ("files/{result_id}", "own files"),
        ("listing/{result_id}", "own files"),
        ("a\n/{result_id}", "cannot be printed"),
        ("x" * 1000 + "/{result_id}", "at most 1024"),
        ("no_such_module_here:function", "cannot be imported"),
        ("plain", "is named as module:function"),
    ],
)
def test_layout_that_cannot_serve_is_refused_at_the_start(template: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        layout_of(template, KEYS)


def test_function_gets_the_facts_and_names_the_key(own: Callable[..., str]) -> None:
    layout = layout_of(own(lambda facts: f"{facts.kind}/{facts.bytes}/{facts.result_id}"), KEYS)
    assert layout(FACTS) == f"json/7/{RID}"


def _raises(facts: LayoutFacts) -> str:
    raise KeyError("tenant")


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (_raises, "raises KeyError"),
        (lambda facts: None, "gives NoneType"),
        (lambda facts: facts.result_id.encode(), "gives bytes"),
        (lambda facts: "always/the/same", "another result could get the same key"),
        (lambda facts: f"../other-session/{facts.result_id}", "no piece may be"),
        (lambda facts, seen=[]: seen.append(0) or f"{len(seen)}/{facts.result_id}", "another key for the same facts"),
    ],
)
def test_function_that_cannot_serve_is_refused_at_the_start(
    own: Callable[..., str], function: Callable[[LayoutFacts], object], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        layout_of(own(function), KEYS)


def test_function_that_fails_for_one_result_only_makes_that_one_invalid(own: Callable[..., str]) -> None:
    def lay(facts: LayoutFacts) -> str:
        return f"../{facts.result_id}" if facts.tool_name == "odd" else facts.result_id

    layout = layout_of(own(lay), KEYS)
    assert layout(FACTS) == RID
    with pytest.raises(InvalidResult, match="no piece may be") as caught:
        layout(msgspec.structs.replace(FACTS, tool_name="odd"))
    assert caught.value.reason == "invalid_layout"


def test_metadata_names_the_key_and_readers_go_by_it() -> None:
    by = msgspec.structs.replace(rules(), layout=layout_of("{kind}/{result_id}", rules().keys))
    decision = decide(arrived("x" * 30_000), by)
    assert decision.stored is not None
    metadata = decision.stored.metadata
    assert metadata.output_key == f"p/v1/sessions/s1/{metadata.synopsis_kind}/{metadata.result_id}"
    assert metadata.output_uri == f"s3://bucket/{metadata.output_key}"
    assert output_key_of(by.keys, metadata, "s1") == metadata.output_key


def test_metadata_of_the_default_layout_names_no_key() -> None:
    by = rules()
    decision = decide(arrived("x" * 30_000), by)
    assert decision.stored is not None
    metadata = decision.stored.metadata
    assert metadata.output_key is None
    assert output_key_of(by.keys, metadata, "s1") == by.keys.output("s1", metadata.result_id)
