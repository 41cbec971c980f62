"""The files that are generated: in `schemas/`, what the servers of `deploy/` take from it, and the settings' page."""

from . import json_schemas
from .asyncapi.document import document
from .asyncapi.text import to_yaml
from .authorization import authorization
from .configuration import configuration
from .places import ROOT, SCHEMAS

FOLDER = "json-schema"
DOCUMENT = "asyncapi.yaml"
AUTHORIZATION = "deploy/nats/authorization.conf"
CONFIGURATION = "docs/configuration.md"


def generated() -> dict[str, str]:
    """The texts, by path below the project's folder."""
    return {
        f"schemas/{DOCUMENT}": to_yaml(document()),
        **{f"schemas/{FOLDER}/{name}": text for name, text in json_schemas.documents().items()},
        AUTHORIZATION: authorization(),
        CONFIGURATION: configuration(),
    }


def stale() -> list[str]:
    """The paths of those that are not as they would be made now, are missing, or are made no more."""
    made = generated()
    changed = [name for name, text in made.items() if not (ROOT / name).exists() or _read(name) != text]
    return sorted(changed + [name for name in _present() if name not in made])


def write() -> list[str]:
    """Bring all of them up to date; the paths of those that were stale."""
    made, changed = generated(), stale()
    for name in changed:
        path = ROOT / name
        if name in made:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made[name], encoding="utf-8")
        else:
            path.unlink()
    return changed


def _present() -> list[str]:
    return [f"schemas/{FOLDER}/{path.name}" for path in sorted((SCHEMAS / FOLDER).glob("*"))]


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")
