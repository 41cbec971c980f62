"""The AsyncAPI document is valid, and has every subject, message and header of the contract, each with an example."""

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from generate.asyncapi.document import document
from generate.asyncapi.roles import matches
from generate.asyncapi.text import to_yaml
from generate.files import DOCUMENT
from generate.places import GOLDEN, ROOT, SCHEMAS
from jsonschema import Draft7Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT7
from tests.support import contract

from coatcheck_core.settings import Settings
from coatcheck_schemas.filesystem import OPERATIONS
from coatcheck_schemas.letters import ORIGINAL_PREFIX
from coatcheck_schemas.subjects import VERBS, CallAddress, Subjects, TurnAddress
from coatcheck_workers.discovery.messages import VERBS as CONTROL_VERBS
from coatcheck_workers.discovery.messages import control_subjects
from coatcheck_workers.provisioning.declared import streams
from coatcheck_workers.streams.held import TRIES_HEADER

TEXT = (SCHEMAS / DOCUMENT).read_text()
DOC = yaml.load(TEXT, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
SPECIFICATION = Path(__file__).parents[1] / "support" / "asyncapi" / "3.0.0.json"
MESSAGES: dict[str, dict[str, Any]] = DOC["components"]["messages"]
CHANNELS: dict[str, dict[str, Any]] = DOC["channels"]
OPERATIONS_: dict[str, dict[str, Any]] = DOC["operations"]
ADDRESSES = {channel["address"] for channel in CHANNELS.values()}
INTERNAL = "coat-internal."
URI = "urn:coatcheck:workers"
REGISTRY: Registry[Any] = Registry().with_resource(URI, Resource.from_contents(DOC, DRAFT7))


def validator_of(message: str, part: str) -> Draft7Validator:
    """Of a message's payload, or its headers."""
    return Draft7Validator({"$ref": f"{URI}#/components/messages/{message}/{part}"}, registry=REGISTRY)


def test_the_document_is_as_the_specification_wants_it() -> None:
    specification = json.loads(SPECIFICATION.read_text())
    found = [f"{error.json_path}: {error.message}" for error in Draft7Validator(specification).iter_errors(DOC)]
    assert found == []


@pytest.mark.parametrize(
    "change",
    [
        lambda made: made["channels"].update(read={"adress": "coat.read.{session}"}),
        lambda made: made["operations"]["sendStub"].update(action="emit"),
        lambda made: made["servers"]["nats"].pop("protocol"),
        lambda made: made["components"]["schemas"]["StubEvent"].update(type="objekt"),
    ],
)
def test_the_specification_finds_what_is_wrong(change: Any) -> None:
    made = document()
    change(made)
    assert not Draft7Validator(json.loads(SPECIFICATION.read_text())).is_valid(made)


def test_the_text_says_what_the_document_does() -> None:
    assert json.loads(json.dumps(document())) == DOC


def test_every_reader_of_yaml_takes_it_for_what_it_is() -> None:
    doubtful = ["1e3", "0o17", "0x1F", "1:30", "yes", "No", "~", "null", "", "2026-01-31", "12345e10", ".5", "a\nb\n"]
    text = to_yaml({"values": doubtful})
    assert yaml.safe_load(text) == {"values": doubtful}
    assert len(re.findall(r"^- (?:[\"'].*[\"']|\|.*)$", text, re.MULTILINE)) == len(doubtful)


def subjects_that_are_built() -> Iterator[str]:
    """What every method and property of Subjects makes, of segments in braces."""
    subjects = Subjects()
    given: dict[str, Any] = {
        "at": CallAddress("{session}", "{turn}", "{call}"),
        **{name: f"{{{name}}}" for name in ("session", "turn", "result_id", "upload", "kind", "name", "operation")},
        "sequence": 1,
    }
    of_a_turn = TurnAddress("{session}", "{turn}")
    for name, member in inspect.getmembers(Subjects):
        if name.startswith(("_", "parse", "to_", "due_of", "stream")) or name in ("prefix", "request"):
            continue
        if isinstance(member, property):
            yield getattr(subjects, name)
        else:
            wanted = {key: one for key, one in inspect.signature(member).parameters.items() if key != "self"}
            arguments = {key: given.get(key, "x") for key in wanted}
            if "TurnAddress" in str(wanted.get("at")):
                arguments["at"] = of_a_turn
            yield member(subjects, **arguments)


def test_every_subject_that_the_contract_builds_is_a_channel_or_the_workers_own() -> None:
    built = list(subjects_that_are_built())
    assert len(built) > 20
    concrete = [one for one in built if not one.startswith(INTERNAL) and not re.search(r"[*>]|\.$", one)]
    concrete = [one.replace("{operation}", operation) for one in concrete for operation in OPERATIONS]
    assert set(concrete) - ADDRESSES == set()
    patterns = [one for one in built if not one.startswith(INTERNAL) and re.search(r"[*>]", one)]
    assert [one for one in patterns if not any(matches(one, address or "") for address in ADDRESSES)] == []


def test_every_verb_and_every_operation_is_a_channel() -> None:
    subjects = Subjects()
    assert {subjects.request(verb, "{session}") for verb in VERBS} <= ADDRESSES
    assert {subjects.file_request("{session}", operation) for operation in OPERATIONS} <= ADDRESSES
    assert {subject for verb in CONTROL_VERBS for subject in control_subjects(verb, "{id}")} <= ADDRESSES


def test_every_parameter_of_an_address_is_told_and_no_other() -> None:
    for channel in CHANNELS.values():
        assert re.findall(r"\{(\w+)\}", channel["address"] or "") == list(channel.get("parameters", []))


def headers_told() -> set[str]:
    schemas = [message["headers"] for message in MESSAGES.values() if "headers" in message]
    told = {name for schema in schemas for name in schema["properties"]}
    return told | {name.removeprefix("^") for schema in schemas for name in schema.get("patternProperties", {})}


def test_every_header_of_the_contract_is_told() -> None:
    wanted = contract.header_names()
    assert {ORIGINAL_PREFIX, "Nats-Service-Error", "Coat-Seq", "ce-specversion"} <= wanted
    assert wanted - headers_told() == set()


def test_no_header_is_made_up_beside_the_contract() -> None:
    sources = [path.read_text() for folder in ("schemas", "core", "workers", "client") for path in python_files(folder)]
    named = {name for source in sources for name in re.findall(r'"(Coat-[A-Za-z-]+)"', source)}
    assert named - headers_told() == {TRIES_HEADER}, "a header of what the workers hold for themselves"


def python_files(folder: str) -> Iterator[Path]:
    return (ROOT / folder).rglob("*.py")


def test_every_attribute_of_the_binary_encoding_is_told() -> None:
    prose = (SCHEMAS / "README.md").read_text()
    assert set(re.findall(r"`?(ce-[a-z]+)[`:]", prose)) == {
        name for name in MESSAGES["BinaryToolResult"]["headers"]["properties"] if name.startswith("ce-")
    }


def test_every_message_is_in_a_channel_and_has_an_example() -> None:
    met = {name for channel in CHANNELS.values() for name in channel["messages"]}
    assert met == set(MESSAGES)
    assert all(message.get("examples") for message in MESSAGES.values())


EXAMPLES = [
    pytest.param(name, example, id=f"{name}-{example['name']}")
    for name, message in MESSAGES.items()
    for example in message.get("examples", [])
]


@pytest.mark.parametrize(("message", "example"), EXAMPLES)
def test_an_example_is_as_its_message_says(message: str, example: dict[str, Any]) -> None:
    assert {"payload", "headers"} & set(example)
    for part in ("payload", "headers"):
        if part in example:
            validator_of(message, part).validate(example[part])


def test_every_golden_sample_of_a_message_is_an_example_of_it() -> None:
    shown = {example["name"] for message in MESSAGES.values() for example in message.get("examples", [])}
    samples = {re.sub(r"(\.headers)?\.json$", "", path.name) for path in GOLDEN.glob("*.json")}
    stored = ("metadata", "synopsis", "ready")
    foretellable = {"piece", "piece.final", "piece.failed"}  # their message ids: workers read them, nobody writes them
    assert {name for name in samples if not name.startswith(stored)} - shown == foretellable


def test_every_request_is_answered_by_its_reply_or_an_error() -> None:
    for verb in [*VERBS, *(f"fs.{operation}" for operation in OPERATIONS)]:
        name = verb.replace(".", " ").title().replace(" ", "")
        operation = OPERATIONS_[f"answer{name}"]
        assert operation["bindings"]["nats"]["queue"] == "workers"
        replies = [one["$ref"].rpartition("/")[2] for one in operation["reply"]["messages"]]
        asked = operation["messages"][0]["$ref"].rpartition("/")[2]
        assert replies == [asked.replace("Request", "Reply"), "ErrorReply"]
        assert operation["reply"]["channel"] == {"$ref": "#/channels/inbox"}


def test_a_stream_that_is_named_keeps_what_is_published_there() -> None:
    declared = {one.name: one for one in streams(Settings())}
    for channel in CHANNELS.values():
        if (name := channel.get("x-nats-stream")) is None:
            continue
        assert DOC["x-nats-streams"][name]["max_bytes"] == declared[name].max_bytes
        transform = declared[name].subject_transform
        kept = [transform.dest] if transform is not None else declared[name].subjects or []
        assert any(matches(str(pattern), channel["address"]) for pattern in kept)


@pytest.mark.parametrize(
    ("operation", "roles"),
    [
        ("receiveResult", ["agent", "tool", "admin"]),
        ("receivePiece", ["agent", "tool", "admin"]),
        ("answerRead", ["agent", "admin"]),
        ("answerFsWrite", ["agent", "admin"]),
        ("sendStub", ["agent", "admin"]),
        ("sendManifest", ["agent", "admin"]),
        ("sendDeadLetter", ["admin"]),
        ("answerStatsAll", ["admin"]),
    ],
)
def test_an_operation_names_the_roles_that_may_take_part(operation: str, roles: list[str]) -> None:
    assert OPERATIONS_[operation]["x-roles"] == roles


@pytest.mark.parametrize(
    ("pattern", "subject", "matched"),
    [
        ("coat.read.*", "coat.read.s", True),
        ("coat.read.*", "coat.read.s.t", False),
        ("coat.read.*", "coat.read", False),
        ("coat.stubs.>", "coat.stubs.s.t.r", True),
        ("coat.stubs.>", "coat.stubs", False),
        ("coat.fs.*.ls", "coat.fs.s.read", False),
        (">", "coat", True),
    ],
)
def test_a_pattern_takes_in_what_nats_lets_it(pattern: str, subject: str, matched: bool) -> None:
    assert matches(pattern, subject) is matched
