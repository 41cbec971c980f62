"""The files by which Coatcheck is run elsewhere, as the tests of them read them."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from coatcheck_core.settings import Settings, load

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = ROOT / "docker-compose.yml"
KUBERNETES = DEPLOY / "kubernetes"

PINNED = re.compile(r"\S+:v?[A-Z.]*\d[\w.-]+(@sha256:[0-9a-f]{64})?")
"""An image with a version for its tag, or better with its digest besides."""


@cache
def documents(file: Path) -> tuple[Any, ...]:
    """What a YAML file holds; nobody may change it, for it is read once."""
    return tuple(yaml.load_all(file.read_text(), Loader=yaml.CSafeLoader))


def parsed(file: Path) -> Any:
    """The one document of a YAML file."""
    (only,) = documents(file)
    return only


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = parsed(COMPOSE)
    return loaded


def services(image: str = "") -> dict[str, dict[str, Any]]:
    """The services of docker-compose.yml whose image begins so."""
    every: dict[str, dict[str, Any]] = compose()["services"]
    return {name: service for name, service in every.items() if service["image"].startswith(image)}


def coatchecks() -> dict[str, Settings]:
    """The services that run Coatcheck, and the settings that they give it."""
    return {name: load(environ=service["environment"])[0] for name, service in services("coatcheck:").items()}


def of_compose(kind: str, service: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The sources of a service's secrets or configs, each with its path in the container."""
    for one in service.get(kind, []):
        source, target = (one["source"], one["target"]) if isinstance(one, dict) else (one, f"/run/secrets/{one}")
        yield source, target


def make_secrets(folder: Path) -> None:
    """As a person does before the first start."""
    subprocess.run(["sh", DEPLOY / "make-secrets", folder], check=True, capture_output=True)


def mounted(name: str, folder: Path) -> list[str]:
    """Lay the files of a NATS server of docker-compose.yml out below `folder` as in its container, with new secrets.

    What it is run with, in terms of them.
    """
    make_secrets(folder / "secrets")
    for kind in ("configs", "secrets"):
        for source, target in of_compose(kind, services()[name]):
            file = Path(compose()[kind][source]["file"])
            is_made = file.parts[:2] == ("deploy", "secrets")
            where = folder / target.lstrip("/")
            where.parent.mkdir(parents=True, exist_ok=True)
            text = (folder / "secrets" / file.name if is_made else ROOT / file).read_text()
            where.write_text(text.replace('"/data"', f'"{folder}/data"'))
    shutil.copytree(folder / "secrets/agents", folder / "etc/nats/agents")
    return [part.replace("/etc/nats", f"{folder}/etc/nats") for part in services()[name]["command"]]


def resources(folder: Path) -> list[dict[str, Any]]:
    """What a folder of Kubernetes files declares, kustomizations left out."""
    files = sorted(file for file in folder.rglob("*.yaml") if file.name != "kustomization.yaml")
    return [document for file in files for document in documents(file)]


def resource(folder: Path, kind: str, name: str = "") -> dict[str, Any]:
    """The one resource of a kind, or of a kind and a name."""
    (found,) = [one for one in resources(folder) if one["kind"] == kind and name in ("", one["metadata"]["name"])]
    return found


def variables(file: Path) -> dict[str, str]:
    """A file of settings as a kustomization reads it."""
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)
