"""Defaults, then the file, then the environment, then `--set`: laid over each other, each value with its origin.

Pure: the caller reads the file and hands over the environment. No library does this with an origin for each value
and a suggestion for an unknown key, so the laying is ours; checking and conversion are msgspec's.
"""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
import yaml
from msgspec import Meta

from .errors import ConfigError
from .location import locate
from .model import Settings
from .redacting import SECRET, redact_url, redact_urls
from .relations import check_relations

ENV_PREFIX = "COATCHECK_"
ENV_SEPARATOR = "__"
OTHER_VARIABLES = frozenset({"COATCHECK_SESSION"})

Tree = dict[str, Any]
Origin = dict[str, str]
"""The dotted name of each value that is not a default, and where it comes from."""

_QUOTED = re.compile(r"'[^']{4,}'")
"""What YAML quotes of the text: an alias or a tag, as an unquoted password may look."""
_NEAR = 0.5
"""How alike a key must be to be suggested, as difflib measures it: half a name is more often wrong than right."""


def load(
    file: tuple[str, str] | None = None, environ: Mapping[str, str] | None = None, assignments: Sequence[str] = ()
) -> tuple[Settings, Origin]:
    """The settings, and the origin of each value that is not a default.

    `file` is a name and its YAML text, `assignments` are `key=value` with a YAML value. Raises ConfigError.
    """
    tree: Tree = {}
    origins: Origin = {}
    if file is not None:
        _lay(tree, origins, _leaves((), _parse_file(*file)), file[0])
    for name in sorted(environ or {}):
        if name.startswith(ENV_PREFIX) and name not in OTHER_VARIABLES:
            key = _environment_key(name)
            _lay(tree, origins, _leaves(key, _scalar((environ or {})[name], key, name)), name)
    for assignment in assignments:
        key_text, equals, value = assignment.partition("=")
        if not equals:
            shown = assignment.split(maxsplit=1)[0][:100] if assignment.strip() else assignment
            raise ConfigError(f"--set takes key=value, as result.threshold=40; got {shown!r} without =")
        key = tuple(key_text.strip().split("."))
        _lay(tree, origins, _leaves(key, _scalar(value, key, "--set")), "--set")
    try:
        settings = msgspec.convert(tree, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(_explain(str(error), origins)) from None
    locate(settings.storage)
    check_relations(settings)
    return settings, origins


def redact(settings: Settings) -> Tree:
    """The settings as a tree that can be shown: without passwords and keys."""
    tree: Tree = msgspec.to_builtins(settings)
    if tree["storage"]["secret_key"]:
        tree["storage"]["secret_key"] = SECRET
    tree["nats"]["url"] = redact_urls(tree["nats"]["url"])
    for name in ("endpoint", "url"):
        tree["storage"][name] = redact_url(tree["storage"][name])
    return tree


def _parse_file(name: str, text: str) -> Tree:
    try:
        tree = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"{name} is not YAML: {_yaml_problem(error)}") from None
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise ConfigError(f"{name} must hold keys and values, as `result: {{threshold: 40}}`")
    return tree


def _yaml_problem(error: Exception) -> str:
    """What is wrong and where, without the line itself: it may hold a secret."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return "it is nested too deeply" if isinstance(error, RecursionError) else "it holds what YAML does not allow"
    mark = error.problem_mark
    problem = _QUOTED.sub("...", error.problem or error.context or "it ends too early")
    return f"{problem} (line {mark.line + 1}, column {mark.column + 1})"


def _leaves(above: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The settings that a value gives: itself, or those of a group. In a group null is as good as absent."""
    if not isinstance(value, dict) or not value:
        yield above, value
        return
    for name, inner in value.items():
        if inner is not None:
            yield from _leaves((*above, str(name)), inner)


def _environment_key(name: str) -> tuple[str, ...]:
    """`COATCHECK_RESULT__THRESHOLD` is `result.threshold`; a tool's name keeps its case."""
    pieces = name.removeprefix(ENV_PREFIX).split(ENV_SEPARATOR)
    if pieces[0].lower() == "tools" and len(pieces) > 2:
        return ("tools", pieces[1], *(piece.lower() for piece in pieces[2:]))
    return tuple(piece.lower() for piece in pieces)


def _scalar(text: str, key: tuple[str, ...], origin: str) -> Any:
    """A text stays one where the setting is one (a password may look like a number); else it is read as YAML."""
    if _resolve(key, origin)[1] is str:
        return text
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        told = _yaml_problem(error)
        raise ConfigError(f"{'.'.join(key)} (from {origin}): {text!r} is not a YAML value: {told}") from None


def _lay(tree: Tree, origins: Origin, values: Any, origin: str) -> None:
    for key, value in values:
        if not key:  # an empty file
            continue
        path, hint = _resolve(key, origin)
        if value == {} and hint not in (str, bool, int, float):  # a group that gives nothing
            continue
        node = tree
        for name in path[:-1]:
            node = node.setdefault(name, {})
            if not isinstance(node, dict):
                raise ConfigError(f"{'.'.join(path)} (from {origin}): {name!r} was given a value before, it is a group")
        node[path[-1]] = value
        origins[".".join(path)] = origin


def _resolve(key: tuple[str, ...], origin: str) -> tuple[tuple[str, ...], Any]:
    """The path and the bare type of the setting under a key; raises ConfigError that suggests a key where one is near.

    A tool's name may hold dots: it is one piece of the path, and what follows it is at most `result.threshold`.
    """
    here: Any = Settings
    path: list[str] = []
    pieces = list(key)
    while pieces:
        if get_origin(here) is dict:
            here = get_args(here)[1]
            width = max(len(pieces) - (2 if ".".join(pieces[-2:]) in _names(here) else 1), 1)
            path.append(".".join(pieces[:width]))
            pieces = pieces[width:]
            continue
        name = pieces.pop(0)
        fields = get_type_hints(here) if isinstance(here, type) and issubclass(here, msgspec.Struct) else {}
        if name not in fields:
            raise ConfigError(_unknown(key, origin))
        path.append(name)
        here = fields[name]
    return tuple(path), here


def _unknown(key: tuple[str, ...], origin: str) -> str:
    wanted = ".".join(key)
    known = list(_names(Settings))
    near = difflib.get_close_matches(wanted, known, n=1, cutoff=_NEAR)
    if near:
        hint = f"did you mean {near[0]!r}?"
    elif wanted == "config":
        hint = "a file with settings is named with --config FILE"
    else:
        hint = "`coatcheck config` shows all there are"
    return f"unknown setting {wanted!r} (from {origin}); {hint}"


def _names(struct: type[msgspec.Struct], above: str = "") -> Iterator[str]:
    for name, hint in get_type_hints(struct).items():
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            yield from _names(hint, f"{above}{name}.")
        elif get_origin(hint) is dict:
            yield from _names(get_args(hint)[1], f"{above}{name}.NAME.")
        else:
            yield f"{above}{name}"


def _explain(error: str, origins: Origin) -> str:
    match = re.fullmatch(r"(.*) - at `\$\.?(.*)`", error, re.DOTALL)
    if match is None:
        return error
    pattern = re.escape(re.sub(r"\[[0-9]+\]$", "", match[2])).replace(re.escape("[...]"), r"\..+")
    given = [f"{key} (from {origin})" for key, origin in origins.items() if re.fullmatch(pattern, key, re.DOTALL)]
    if match[1].startswith("Invalid enum value"):
        choices = get_args(_resolve(tuple(match[2].split(".")), "")[1])
        return f"{' or '.join(given)}: {match[1]}; it is one of {', '.join(choices)}"
    told = match[1]
    if told.startswith("Expected `str` matching regex"):
        told = f"it is {_description(tuple(match[2].replace('[...]', '.NAME').split('.')))}"
    return f"{' or '.join(given) or match[2]}: {told}"


def _description(path: tuple[str, ...]) -> str:
    """What a setting is, in words; a pattern tells nobody what to write."""
    name, is_element, _ = path[-1].partition("[")
    hint = get_type_hints(_resolve(path[:-1], "")[1], include_extras=True)[name]
    if is_element:
        hint = get_args(get_args(hint)[0])[0]
    metas = [meta for annotated in (hint, *get_args(hint)) for meta in getattr(annotated, "__metadata__", ())]
    return next(meta.description for meta in metas if isinstance(meta, Meta) and meta.description)
