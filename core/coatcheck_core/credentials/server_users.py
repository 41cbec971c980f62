"""Users and accounts in the language of a NATS server's configuration."""

import json
import re
from collections.abc import Sequence

import msgspec

from coatcheck_schemas.errors import InvalidInput
from coatcheck_schemas.permissions import AGENTS_ACCOUNT, SERVICE_ACCOUNT, Permissions, heard, services
from coatcheck_schemas.subjects import Subjects

_VARIABLE = re.compile(r"\$[A-Z_]+")
_NAME = re.compile(r'^\s*\{ user: ("(?:[^"\\]|\\.)*"),')
_HEAD, _FOOT = "users: [", "]"


class ServerUser(msgspec.Struct, frozen=True, kw_only=True):
    """A user; `password` is a bcrypt hash, or the name of a variable (`$NATS_PASSWORD`). Without permissions it may
    do everything."""

    name: str
    password: str
    permissions: Permissions | None = None

    def __repr__(self) -> str:
        return f"ServerUser(name={self.name!r})"


def user_entry(user: ServerUser) -> str:
    """One line, as it stands among the users of an account."""
    password = user.password if _VARIABLE.fullmatch(user.password) else quoted(user.password)
    allowed = ""
    if user.permissions is not None:
        publish, subscribe = (_listed(one) for one in (user.permissions.publish, user.permissions.subscribe))
        allowed = f", permissions: {{ publish: [{publish}], subscribe: [{subscribe}] }}"
    return f"{{ user: {quoted(user.name)}, password: {password}{allowed} }}"


def accounts_block(subjects: Subjects, users: Sequence[ServerUser], agents_file: str) -> str:
    """The two accounts: the workers' own with these users, and the agents', whose users are included from a file."""
    served, told = services(subjects), heard(subjects)
    exports = [f"{{ service: {quoted(one)}, accounts: [{AGENTS_ACCOUNT}] }}" for one in served]
    exports += [f"{{ stream: {quoted(one)}, accounts: [{AGENTS_ACCOUNT}] }}" for one in told]
    imports = [
        f"{{ {kind}: {{ account: {SERVICE_ACCOUNT}, subject: {quoted(one)} }} }}"
        for kind, subjects_of_kind in (("service", served), ("stream", told))
        for one in subjects_of_kind
    ]
    return "\n".join(
        (
            "accounts {",
            f"  {SERVICE_ACCOUNT} {{",
            "    jetstream: enabled",
            *_array("users", [user_entry(user) for user in users]),
            *_array("exports", exports),
            "  }",
            f"  {AGENTS_ACCOUNT} {{",
            f"    include {quoted(agents_file)}",
            *_array("imports", imports),
            "  }",
            "}",
            "",
        )
    )


def with_user(agents: str, user: ServerUser) -> str:
    """The text of a file of agents' users, with this one added, or in place of the one of its name.

    Raises InvalidInput where the text is not such a file.
    """
    kept = [line for line in _entries(agents) if _name(line) != user.name]
    return "\n".join((_HEAD, *kept, f"  {user_entry(user)}", _FOOT, ""))


def without_user(agents: str, name: str) -> str:
    """The text without the user of that name. Raises InvalidInput where the text is not such a file, or has no such
    user."""
    lines = _entries(agents)
    kept = [line for line in lines if _name(line) != name]
    if len(kept) == len(lines):
        raise InvalidInput(f"there is no user {name}")
    return "\n".join((_HEAD, *kept, _FOOT, ""))


NO_USERS = f"{_HEAD}\n{_FOOT}\n"
"""A file of agents' users that has none yet."""


def quoted(text: str) -> str:
    """A string of the configuration: it knows JSON's escapes but for those of other scripts."""
    return json.dumps(text, ensure_ascii=False)


def _entries(agents: str) -> list[str]:
    lines = [line for line in agents.splitlines() if line.strip()]
    if len(lines) < 2 or lines[0].strip() != _HEAD or lines[-1].strip() != _FOOT or not all(map(_name, lines[1:-1])):
        raise InvalidInput(f"it is no file of agents' users: it must have `{_HEAD}`, one user a line, and `{_FOOT}`")
    return lines[1:-1]


def _name(line: str) -> str | None:
    found = _NAME.match(line)
    return None if found is None else str(json.loads(found[1]))


def _listed(subjects: Sequence[str]) -> str:
    return ", ".join(map(quoted, subjects))


def _array(name: str, entries: Sequence[str]) -> list[str]:
    return [f"    {name}: [", *(f"      {entry}" for entry in entries), "    ]"]
