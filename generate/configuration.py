"""`docs/configuration.md`: every setting, as the structs have it."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect

from coatcheck_core.settings import Settings
from coatcheck_core.settings.layers import ENV_PREFIX, ENV_SEPARATOR
from coatcheck_core.settings.model import GIB, MIB

NOT_BLANK = r"\S"
_HEAD = """\
# Configuration

<!-- Made by `make schemas` from core/coatcheck_core/settings: edit that. -->

Every setting there is. Values are laid over each other: the default, then a YAML file (`--config FILE`), then the
environment, then `--set NAME=VALUE`, which may be repeated. `coatcheck config` shows the value of each and where it
comes from, secrets hidden; an unknown name, in the file or the environment, is an error that names the nearest one.

```yaml
result: {threshold: 40000}
tools:
  read_repo: {never: true}
  "mcp.search": {result: {threshold: 8000}}
```

is the same as

```text
COATCHECK_RESULT__THRESHOLD=40000
COATCHECK_TOOLS__read_repo__NEVER=true
--set tools.mcp.search.result.threshold=8000
```

A value in the environment or after `--set` is YAML, as `true` or `[a, b]`; where the setting is a text it is that text
as it stands. NAME in `tools.NAME` is a tool's name as the results bear it, in its own case. In a group null is as good
as absent. Bytes and seconds are numbers without a unit.

A program reads its settings once, at its start. Workers and the provisioning take the same ones; a worker that finds
streams or the bucket otherwise than its settings say tells what, and ends. Clients read `nats` and `storage.ca_file`,
and for `clear` and an agent's tools `clearing`, `retrieval`, `filesystem`, `tools` and `stub.language`.
"""

_TAIL = """\
## What must go together

- `nats.tls_key_file` needs `nats.tls_cert_file`.
- `requests.search_seconds` is less than `requests.timeout_seconds`.
- `requests.patience_seconds` and `requests.timeout_seconds` together are 14.5 at most: their reader waits 15 s.
- These two and `requests.delete_seconds` together are 59.5 at most: who deletes waits 60 s.
- `requests.body_bytes` is at most `requests.waiting_bytes`.

What does not is an error that names both and says what would go wrong.

## Other variables

| variable | read by | |
| --- | --- | --- |
| `COATCHECK_SESSION` | the command line | the session of commands without `--session` |
| `NO_COLOR`, `TERM` | the command line | no colour |
| `AWS_...`, `GOOGLE_...`, `AZURE_...` | workers, provisioning | keys and region of the store of `storage.url` |
| `OTEL_...` | workers | where and how spans are sent, and by what name, where `tracing.enabled` |
"""


def configuration() -> str:
    """The text of the file."""
    root = inspect.type_info(Settings)
    if not isinstance(root, inspect.StructType):
        raise TypeError("the settings are no struct")
    tables = [
        (field.name, _table(list(_settings(field, field.name)))) for field in root.fields if field.name != "tools"
    ]
    tools = next(field for field in root.fields if field.name == "tools")
    tables.append(("tools", _table(list(_settings(tools, "tools")))))
    return "\n".join([_HEAD, *(f"## {name}\n\n{table}" for name, table in tables), _TAIL])


def _table(rows: list[tuple[str, inspect.Field]]) -> str:
    lines = ["| setting | in the environment | type | default | |", "| --- | --- | --- | --- | --- |"]
    for name, field in rows:
        bare, meaning = _bare(field.type)
        cells = (f"`{name}`", f"`{variable(name)}`", _type(bare), _default(field), meaning.replace("|", "\\|"))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def variable(name: str) -> str:
    """The environment variable of a setting; a tool's name keeps its case."""
    return ENV_PREFIX + ENV_SEPARATOR.join(piece.upper() for piece in name.split("."))


def _settings(field: inspect.Field, name: str) -> Iterator[tuple[str, inspect.Field]]:
    """The settings of a group, or the one that this is."""
    kind = field.type
    if isinstance(kind, inspect.DictType):
        kind, name = kind.value_type, f"{name}.NAME"
    if not isinstance(kind, inspect.StructType):
        yield name, field
        return
    for inner in kind.fields:
        default = _group_default(field, inner)
        yield from _settings(default, f"{name}.{inner.name}")


def _group_default(group: inspect.Field, inner: inspect.Field) -> inspect.Field:
    """A field with the default that its group has for it, where the group has an own one."""
    if not isinstance(group.default, msgspec.Struct):
        return inner
    return inspect.Field(
        name=inner.name,
        encode_name=inner.encode_name,
        type=inner.type,
        required=False,
        default=getattr(group.default, inner.name),
    )


def _bare(kind: inspect.Type) -> tuple[inspect.Type, str]:
    """The type without what is said of it, and that."""
    meaning = ""
    while isinstance(kind, inspect.Metadata):
        meaning = meaning or (kind.extra_json_schema or {}).get("description", "")
        kind = kind.type
    return kind, meaning


def _type(kind: inspect.Type) -> str:
    """A type and its bounds, in words."""
    kind, _ = _bare(kind)
    match kind:
        case inspect.UnionType():
            return " or ".join(_type(one) for one in kind.types if not isinstance(one, inspect.NoneType))
        case inspect.BoolType():
            return "`true` or `false`"
        case inspect.LiteralType():
            return " or ".join(f"`{one}`" for one in kind.values)
        case inspect.IntType() | inspect.FloatType():
            return _bounded("integer" if isinstance(kind, inspect.IntType) else "number", kind)
        case inspect.StrType():
            return _long("text", "chars", kind)
        case inspect.VarTupleType():
            return f"{_long('list', 'entries', kind)}; each a {_type(kind.item_type)}"
    raise TypeError(f"no words for {kind}")


def _bounded(word: str, kind: inspect.IntType | inspect.FloatType) -> str:
    if kind.ge is not None and kind.le is not None:
        return f"{word}, {kind.ge:.12g} to {kind.le:.12g}"
    least = f"over {kind.gt:.12g}" if kind.gt is not None else ""
    least = f"{kind.ge:.12g} or more" if kind.ge is not None else least
    most = f"{kind.le:.12g} at most" if kind.le is not None else ""
    return ", ".join(one for one in (word, least, most) if one)


def _long(word: str, unit: str, kind: inspect.StrType | inspect.VarTupleType) -> str:
    least, most = kind.min_length, kind.max_length
    if isinstance(kind, inspect.StrType) and kind.pattern == NOT_BLANK:
        word += ", not blank"
    if least and most:
        return f"{word}, {least} to {most} {unit}"
    if most:
        return f"{word}, {most} {unit} at most"
    return f"{word}, not empty" if least else word


def _default(field: inspect.Field) -> str:
    value: Any = field.default
    match value:
        case None:
            return "as for every tool"
        case bool():
            return f"`{str(value).lower()}`"
        case int() if value >= MIB and value % MIB == 0:
            return f"{value} ({value // GIB} GiB)" if value % GIB == 0 else f"{value} ({value // MIB} MiB)"
        case int() | float():
            return f"{value:.12g}"
        case "" | ():
            return "empty"
        case tuple():
            return ", ".join(f"`{one}`" for one in value)
    return f"`{value}`"
