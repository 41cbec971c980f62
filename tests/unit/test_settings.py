"""The settings: one table, laid in layers, each value with its origin."""

from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
import pytest
import yaml

from coatcheck_core.settings import ConfigError, Settings, load, redact
from coatcheck_core.settings.redacting import SECRET, redact_url, redact_urls


def every_setting(struct: type[msgspec.Struct] = Settings, above: str = "") -> Iterator[tuple[str, Any]]:
    """The dotted name of each setting, and its whole type."""
    plain = get_type_hints(struct)
    for name, hint in get_type_hints(struct, include_extras=True).items():
        inner = get_args(hint)[1] if get_origin(hint) is dict else plain[name]
        if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            yield from every_setting(inner, f"{above}{name}.{'NAME.' if get_origin(hint) is dict else ''}")
        else:
            yield f"{above}{name}", hint


SETTINGS = list(every_setting())
NAMES = [name for name, _ in SETTINGS]


def refused(*args: Any, **kwargs: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        load(*args, **kwargs)
    return str(caught.value)


# the table


@pytest.mark.parametrize("hint", [hint for _, hint in SETTINGS], ids=NAMES)
def test_a_setting_has_a_type_and_a_description(hint: Any) -> None:
    assert get_origin(hint) is Annotated
    descriptions = [meta.description for meta in hint.__metadata__ if getattr(meta, "description", None)]
    assert len(descriptions) == 1


def test_every_setting_has_a_default() -> None:
    settings, origins = load()
    assert settings == Settings()
    assert origins == {}
    assert msgspec.convert(msgspec.to_builtins(settings), Settings) == settings


@pytest.mark.parametrize(
    ("name", "value"),
    {
        "budget.unit": "chars",
        "result.threshold": 20_000,
        "result.offload": True,
        "stub.preview_chars": 2000,
        "stub.max_chars": 6000,
        "stub.style": "typed",
        "stub.lines": 10,
        "stub.line_chars": 1000,
        "streams.results.max_bytes": 4 * 1024**3,
        "streams.stubs.max_bytes": 2 * 1024**3,
        "streams.dlq.max_bytes": 2 * 1024**3,
        "streams.ledger.max_bytes": 1024**3,
        "streams.held.max_bytes": 2 * 1024**3,
        "streams.deleted.max_bytes": 16 * 1024**2,
        "turn.inline_budget": 100_000,
        "turn.deadline_seconds": 60,
        "storage.retry_seconds": 120,
        "on_store_failure": "preview_only",
        "requests.inbox_prefixes": ("_INBOX.",),
        "worker.in_flight": 64,
        "worker.in_flight_bytes": 64 * 1024**2,
        "worker.ack_wait_seconds": 10,
        "worker.grace_seconds": 8,
        "nats.prefix": "coat",
    }.items(),
)
def test_the_defaults_are_those_of_the_contract(name: str, value: Any) -> None:
    node: Any = Settings()
    for piece in name.split("."):
        node = getattr(node, piece)
    assert node == value


LONGEST = {"patience_seconds": 6.5, "timeout_seconds": 8.5, "search_seconds": 7.9, "delete_seconds": 45.5}
"""Of requests: bound by others, for whoever asks waits for a while only."""


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("_seconds")])
def test_a_time_is_more_than_nothing_and_at_most_a_day_or_what_others_leave(name: str) -> None:
    assert name in refused(assignments=[f"{name}=0"])
    assert name in refused(assignments=[f"{name}=.inf"])
    assert name in refused(assignments=[f"{name}=.nan"])
    longest = LONGEST.get(name.removeprefix("requests."), 86400)
    assert load(assignments=[f"{name}={longest}"])[1][name] == "--set"
    assert name in refused(assignments=[f"{name}={longest + 0.2}"])


@pytest.mark.parametrize(
    "assignment",
    [
        "result.threshold=-1",
        "result.threshold=many",
        "result.threshold=null",
        "result.threshold=",
        "result.offload=perhaps",
        "turn.inline_budget=-1",
        "on_store_failure=retry",
        "stub.max_chars=499",
        "stub.max_chars=50001",
        "stub.style=other",
        "stub.style=module:",
        "stub.lines=-1",
        "stub.lines=1001",
        "stub.line_chars=0",
        "tools.t.stub.style=other",
        "stub.language=fr",
        "retrieval.read_tool=",
        "nats.prefix=a.b",
        "nats.prefix=",
        "nats.prefix=a\n",
        "nats.prefix=*",
        "nats.replicas=0",
        "storage.prefix=../x",
        "storage.prefix=/x",
        "storage.prefix=x\n",
        "storage.bucket=ab",
        "budget.unit=words",
        "budget.unit=tokens\n",
        "requests.inbox_prefixes=[]",
        "requests.inbox_prefixes=['']",
        "requests.inbox_prefixes=[mine.*]",
        "requests.inbox_prefixes=['>']",
        "requests.inbox_prefixes=[mine..inbox]",
        "requests.inbox_prefixes=['$JS.']",
        "worker.in_flight=0",
        "worker.in_flight_bytes=1000",
        "logs.level=loud",
        "streams.results.max_bytes=1",
        "tools.t.result.threshold=-1",
    ],
)
def test_a_value_out_of_bounds_is_refused_with_its_key_and_origin(assignment: str) -> None:
    assert f"{assignment.partition('=')[0]} (from --set)" in refused(assignments=[assignment])


# the layers


FILE = ("coatcheck.yaml", "result: {threshold: 1, offload: false}\nstub:\n  max_chars: 700\n")


def test_the_environment_goes_before_the_file_and_an_assignment_before_both() -> None:
    environ = {"COATCHECK_RESULT__THRESHOLD": "2", "COATCHECK_STUB__MAX_CHARS": "800"}
    settings, origins = load(FILE, environ, ["result.threshold=3"])
    assert (settings.result.threshold, settings.result.offload, settings.stub.max_chars) == (3, False, 800)
    assert origins == {
        "result.threshold": "--set",
        "result.offload": "coatcheck.yaml",
        "stub.max_chars": "COATCHECK_STUB__MAX_CHARS",
    }


def test_of_two_assignments_the_last_counts() -> None:
    assert load(assignments=["result.threshold=3", "result.threshold=4"])[0].result.threshold == 4


@pytest.mark.parametrize("text", ["", "# nothing\n", "result:\n", "result: {}\n", "tools: {}\n", "tools: {t: {}}\n"])
def test_a_file_that_gives_nothing_changes_nothing(text: str) -> None:
    assert load(("f.yaml", text)) == (Settings(), {})


def test_an_empty_group_takes_nothing_back() -> None:
    assert load(FILE, assignments=["result={}"])[0].result.threshold == 1


def test_a_group_may_be_assigned_at_once() -> None:
    settings, origins = load(FILE, assignments=["result={threshold: 9}"])
    assert (settings.result.threshold, settings.result.offload) == (9, False)
    assert origins["result.threshold"] == "--set"


@pytest.mark.parametrize(
    "text",
    ["- 1\n", "5\n", "result: 5\n", "result: [1]\n", "a: {b: ]", "result: {threshold: [1]}\n", "\x00", "tools: 1\n"],
)
def test_a_file_of_another_shape_is_refused_with_its_name(text: str) -> None:
    assert "f.yaml" in refused(("f.yaml", text))


def test_other_variables_of_the_environment_are_nobody_s_business() -> None:
    assert load(environ={"PATH": "x", "COATCHECK_SESSION": "s", "coatcheck_result__threshold": "1"}) == (Settings(), {})


@pytest.mark.parametrize(
    ("wrong", "near"),
    {
        "resul.treshold": "result.threshold",
        "result.treshold": "result.threshold",
        "treshold": "result.threshold",
        "tools.t.nevr": "tools.NAME.never",
        "tools.a.b.result.treshold": "tools.NAME.result.threshold",
        "worker.inflight": "worker.in_flight",
        "result.threshold.x": "result.threshold",
    }.items(),
)
def test_an_unknown_key_names_the_nearest(wrong: str, near: str) -> None:
    assert refused(assignments=[f"{wrong}=1"]) == f"unknown setting {wrong!r} (from --set); did you mean {near!r}?"


@pytest.mark.parametrize("wrong", ["zzz", "x" * 3000, "colour.scheme"])
def test_an_unknown_key_that_is_near_none_suggests_none(wrong: str) -> None:
    told = f"unknown setting {wrong!r} (from --set); `coatcheck config` shows all there are"
    assert refused(assignments=[f"{wrong}=1"]) == told


def test_a_file_named_in_the_environment_hears_of_the_option() -> None:
    told = "unknown setting 'config' (from COATCHECK_CONFIG); a file with settings is named with --config FILE"
    assert refused(environ={"COATCHECK_CONFIG": "x.yaml"}) == told


def test_an_unknown_key_is_refused_in_every_layer() -> None:
    assert "f.yaml" in refused(("f.yaml", "result: {treshold: 1}"))
    assert "f.yaml" in refused(("f.yaml", "resul: {}"))
    assert "COATCHECK_RESULT__TRESHOLD" in refused(environ={"COATCHECK_RESULT__TRESHOLD": "1"})
    assert "COATCHECK_" in refused(environ={"COATCHECK_": "1"})


@pytest.mark.parametrize(
    ("setting", "choices"),
    [("on_store_failure", "preview_only, preserve_raw, reject"), ("stub.language", "en, zh")],
)
def test_a_value_that_is_none_of_the_choices_names_them(setting: str, choices: str) -> None:
    said = refused(assignments=[f"{setting}=other"])
    assert said == f"{setting} (from --set): Invalid enum value 'other'; it is one of {choices}"


def test_an_assignment_without_a_value_is_refused() -> None:
    assert "key=value" in refused(assignments=["result.threshold"])


# tools


@pytest.mark.parametrize("name", ["kubectl", "mcp.k8s.get_pods", "a.result", "result", "never", "搜索", "a b", "a/b"])
def test_a_tool_s_name_may_hold_dots(name: str) -> None:
    settings, origins = load(assignments=[f"tools.{name}.result.threshold=5", f"tools.{name}.never=true"])
    assert list(settings.tools) == [name]
    assert (settings.tools[name].result.threshold, settings.tools[name].never) == (5, True)
    assert origins == {f"tools.{name}.result.threshold": "--set", f"tools.{name}.never": "--set"}


def test_a_file_and_an_assignment_speak_of_the_same_tool() -> None:
    file = ("f.yaml", "tools:\n  mcp.get:\n    result: {threshold: 7}\n")
    settings, _ = load(file, assignments=["tools.mcp.get.never=true"])
    assert (settings.tools["mcp.get"].result.threshold, settings.tools["mcp.get"].never) == (7, True)


def test_a_tool_s_name_keeps_its_case_in_the_environment() -> None:
    settings, _ = load(environ={"COATCHECK_TOOLS__ListDir__RESULT__THRESHOLD": "5"})
    assert settings.tools["ListDir"].result.threshold == 5


def test_a_wrong_value_of_a_tool_is_named_with_the_tool() -> None:
    message = refused(("f.yaml", "tools: {a.b: {never: perhaps}, c: {never: true}}"))
    assert "tools.a.b.never (from f.yaml)" in message


# texts and secrets


@pytest.mark.parametrize("value", ["12345", "0123", "1e3", "yes", "null", "[x", "a: b", "", "#x", " x "])
def test_a_text_stays_what_it_is(value: str) -> None:
    for settings, _ in (
        load(assignments=[f"storage.secret_key={value}"]),
        load(environ={"COATCHECK_STORAGE__SECRET_KEY": value}),
    ):
        assert settings.storage.secret_key == value


def test_an_unquoted_number_in_a_file_is_refused_where_a_text_belongs() -> None:
    assert "storage.secret_key (from f.yaml)" in refused(("f.yaml", "storage: {secret_key: 0123}"))


def test_what_can_be_shown_has_no_secrets() -> None:
    settings, _ = load(
        assignments=[
            "storage.secret_key=s3cret",
            "storage.endpoint=http://u:s3cret@h:9000",
            "nats.url=nats://u:s3cret@a:1,nats://s3cret@b:2",
        ]
    )
    shown = redact(settings)
    assert "s3cret" not in str(shown)
    assert shown["storage"]["secret_key"] == SECRET
    assert shown["nats"]["url"] == f"nats://u:{SECRET}@a:1,nats://{SECRET}@b:2"
    assert shown["result"] == {"threshold": 20_000, "offload": True}


def test_where_there_is_no_secret_nothing_is_hidden() -> None:
    assert redact(Settings()) == msgspec.to_builtins(Settings())


@pytest.mark.parametrize(
    ("url", "shown"),
    {
        "nats://h:4222": "nats://h:4222",
        "h:4222": "h:4222",
        "nats://user:pw@h:4222": f"nats://user:{SECRET}@h:4222",
        "user:pw@h:4222": f"user:{SECRET}@h:4222",
        "token@h": f"{SECRET}@h",
        "tls://u:p@w:x/y@h/z": f"tls://u:{SECRET}@h/z",
        "nats://u:p://w@h": f"nats://u:{SECRET}@h",
        "u:p://w@h": f"u:{SECRET}@h",
        "nats://[::1": "nats://[::1",
        "": "",
    }.items(),
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    assert redact_url(url) == shown


@pytest.mark.parametrize(
    ("urls", "shown"),
    {
        "nats://u:p@a:1,nats://b:2": f"nats://u:{SECRET}@a:1,nats://b:2",
        "a:1,nats://u:p@b:2": f"a:1,nats://u:{SECRET}@b:2",
        "nats://u:p,q@a:1": f"nats://u:{SECRET}@a:1",
        "nats://u:p@a:1,v:q@b:2": f"nats://u:{SECRET}@a:1,v:{SECRET}@b:2",
    }.items(),
)
def test_a_list_of_urls_is_shown_without_passwords_even_with_commas_in_them(urls: str, shown: str) -> None:
    assert redact_urls(urls) == shown


@pytest.mark.parametrize(
    "text", ["a: [hush", "a: 'hush", "hush: a: b", "\thush: 1", "a: &x [*hush]", "a: !!hush b", "- \x00hush"]
)
def test_what_is_no_yaml_is_told_by_its_place_and_not_shown(text: str) -> None:
    with pytest.raises(ConfigError, match=r"c\.yaml is not YAML") as caught:
        load(("c.yaml", text))
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    "assignment",
    [
        "storage.url=https://key:hush@host/bucket",
        "storage.url=s3://key:hush@bucket",
        "storage.url=file://key:hush@bucket",
        "storage.url=gs://bucket/a@hush?",
    ],
)
def test_a_wrong_url_of_the_store_is_told_without_what_stands_before_an_at(assignment: str) -> None:
    with pytest.raises(ConfigError, match=r"storage\.url") as caught:
        load(assignments=[assignment])
    assert "key:hush" not in str(caught.value)


def test_what_is_shown_can_be_given_back_as_a_file() -> None:
    text = yaml.safe_dump(redact(load(assignments=["tools.a.b.never=true", "result.threshold=7"])[0]))
    settings, _ = load(("f.yaml", text))
    assert (settings.result.threshold, settings.tools["a.b"].never) == (7, True)


# effects: what the core decides by


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("stub.style=linse", "stub.style (from --set): it is typed (facts), lines (the first of them, numbered) or"),
        ("tools.grep.stub.style=linse", "tools.grep.stub.style (from --set): it is"),
        ("nats.prefix=a.b", "letters, digits, _ and -"),
        (
            "budget.unit=words",
            "it is chars, tokens (an estimate), package:encoding (tiktoken:o200k_base) or module:function",
        ),
    ],
)
def test_a_value_of_another_form_is_told_in_words(assignment: str, told: str) -> None:
    with pytest.raises(ConfigError) as error:
        load(assignments=[assignment])
    assert told in str(error.value)
    assert "regex" not in str(error.value)
