"""The files for containers, checked without an engine: they name settings, commands and files that exist."""

import re
import subprocess
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import yaml

from coatcheck_core.settings import load
from coatcheck_workers.embedded import binaries
from coatcheck_workers.provisioning import declared

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return loaded


@pytest.mark.parametrize("service", ["provision", "worker"])
def test_the_environment_is_settings(compose: dict[str, Any], service: str) -> None:
    settings, _ = load(environ=compose["services"][service]["environment"])
    assert settings.nats.url
    assert settings.storage.endpoint


@pytest.mark.parametrize("service", ["provision", "worker"])
def test_a_service_runs_a_command_that_exists(compose: dict[str, Any], service: str) -> None:
    known = {point.name for point in entry_points(group="coatcheck.commands")}
    assert compose["services"][service]["command"][0] in known


def test_images_are_pinned(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        assert re.fullmatch(r".+:.*\d.*", service["image"]), service["image"]


def test_secrets_come_from_the_environment_alone(compose: dict[str, Any]) -> None:
    variables = {secret["environment"] for secret in compose["secrets"].values()}
    example = (ROOT / "deploy/env.example").read_text()
    assert set(re.findall(r"^(\w+)=$", example, re.MULTILINE)) == variables
    for service in compose["services"].values():
        for name, value in service.get("environment", {}).items():
            if re.search("PASSWORD|SECRET", name):
                assert value.startswith(("/run/secrets/", "${")), f"{name} is written out"


def test_a_worker_is_given_its_grace_to_stop(compose: dict[str, Any]) -> None:
    seconds = float(compose["services"]["worker"]["stop_grace_period"].removesuffix("s"))
    assert seconds > load()[0].worker.grace_seconds


def test_the_nats_server_accepts_its_configuration(tmp_path: Path) -> None:
    text = (ROOT / "deploy/nats.conf").read_text().replace('"/data"', f'"{tmp_path}"')
    config = tmp_path / "nats.conf"
    config.write_text(text)
    checked = subprocess.run(
        [binaries.nats_server(), "-t", "-c", config],
        env={"NATS_PASSWORD": "kexample123"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr


def test_the_nats_server_is_new_enough_for_the_streams(compose: dict[str, Any]) -> None:
    image = re.fullmatch(r"nats:(\d+)\.(\d+)\..*", compose["services"]["nats"]["image"])
    assert image is not None
    assert tuple(map(int, image.groups())) >= tuple(map(int, declared.LEAST_SERVER.split(".")))


def test_the_nats_server_s_store_holds_all_streams_when_full() -> None:
    limit = re.search(r"^\s*max_file_store: (\d+)GB$", (ROOT / "deploy/nats.conf").read_text(), re.MULTILINE)
    assert limit is not None
    assert sum(stream.max_bytes or 0 for stream in declared.streams(load()[0])) <= int(limit[1]) * 10**9


def test_the_image_copies_what_exists_and_runs_as_nobody_special() -> None:
    lines = (ROOT / "deploy/Dockerfile").read_text().splitlines()
    copies = [line.split()[1:-1] for line in lines if line.startswith("COPY ") and "--from" not in line]
    for source in (name for names in copies for name in names):
        assert (ROOT / source).exists(), source
    (user,) = [line.split()[1] for line in lines if line.startswith("USER ")]
    assert user not in ("0", "root")
