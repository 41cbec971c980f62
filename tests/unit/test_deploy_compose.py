"""docker-compose.yml, checked without an engine: it fits its schema, and names settings, ports and files that exist."""

import re
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest
from check_jsonschema.builtin_schemas import get_builtin_schema  # type: ignore[import-untyped]
from tests.support.deploying import PINNED, ROOT, coatchecks, compose, make_secrets, of_compose
from tests.support.deploying import services as services_of

from coatcheck_core.settings.errors import ConfigError
from coatcheck_core.settings.layers import load
from coatcheck_schemas.servers import parse_servers
from coatcheck_workers.uploads.taking import SPOOL_BYTES

ONCE = {"minio-users", "provision", "provision-cluster"}
PORTS = {"nats": 4222, "nats-1": 4222, "nats-2": 4222, "nats-3": 4222, "minio": 9000}

every_service = pytest.mark.parametrize("name", sorted(services_of()))
every_coatcheck = pytest.mark.parametrize("name", sorted(services_of("coatcheck:")))
every_worker = pytest.mark.parametrize("name", ["worker", "worker-cluster"])


def service(name: str) -> dict[str, Any]:
    return services_of()[name]


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(get_builtin_schema("vendor.compose-spec"))


def test_the_file_fits_the_schema_of_compose_files(schema: jsonschema.Draft202012Validator) -> None:
    assert [f"{error.json_path}: {error.message}" for error in schema.iter_errors(compose())] == []


def test_the_schema_knows_a_slip_of_the_pen(schema: jsonschema.Draft202012Validator) -> None:
    slipped = {"services": {"worker": {**service("worker"), "stop_grace_periods": "15s"}}}
    assert ["stop_grace_periods" in error.message for error in schema.iter_errors(slipped)] == [True]


@every_coatcheck
def test_the_environment_is_settings(name: str) -> None:
    environment = service(name)["environment"]
    settings, origins = load(environ=environment)
    assert len(origins) == len(environment)
    with pytest.raises(ConfigError, match="did you mean"):
        load(environ={**environment, "COATCHECK_STORAGE__ENDPOINTS": settings.storage.endpoint})


@every_coatcheck
def test_a_service_runs_a_command_that_exists(name: str) -> None:
    assert service(name)["command"][0] in {point.name for point in entry_points(group="coatcheck.commands")}


@every_coatcheck
def test_the_servers_that_it_names_are_services_on_its_network(name: str) -> None:
    settings = coatchecks()[name]
    urls = [*parse_servers(settings.nats.url).urls, settings.storage.endpoint]
    for url in map(urlsplit, urls):
        assert url.hostname is not None
        assert PORTS[url.hostname] == url.port
        assert set(service(url.hostname)["networks"]) & set(service(name)["networks"])


@every_service
def test_an_image_is_pinned(name: str) -> None:
    assert PINNED.fullmatch(service(name)["image"])


def test_the_image_of_coatcheck_has_the_version_of_this_tree() -> None:
    assert {one["image"] for one in services_of("coatcheck:").values()} == {f"coatcheck:{version('coatcheck')}"}


@every_service
def test_no_secret_is_in_the_environment(name: str) -> None:
    for variable, value in service(name).get("environment", {}).items():
        if re.search("PASSWORD|SECRET|TOKEN", variable):
            assert variable.endswith("_FILE")
            assert value in {path for _, path in of_compose("secrets", service(name))}, f"{variable} is not mounted"
        assert "://" not in value or "@" not in value


def test_every_secret_is_a_file_that_make_secrets_makes(tmp_path: Path) -> None:
    make_secrets(tmp_path / "secrets")
    files = {Path(secret["file"]) for secret in compose()["secrets"].values()}
    assert {file.parent for file in files} == {Path("deploy/secrets")}
    assert {file.name for file in files} <= {file.name for file in (tmp_path / "secrets").iterdir()}


def test_every_config_is_a_file_of_this_tree() -> None:
    assert all((ROOT / config["file"]).is_file() for config in compose()["configs"].values())


@every_service
def test_what_a_service_mounts_is_declared(name: str) -> None:
    for kind in ("secrets", "configs"):
        assert {source for source, _ in of_compose(kind, service(name))} <= set(compose()[kind])
    named = [one.split(":")[0] for one in service(name).get("volumes", []) if isinstance(one, str)]
    assert {source for source in named if not source.startswith("./")} <= set(compose()["volumes"])


@every_service
def test_a_service_says_whether_it_is_well_or_runs_once(name: str) -> None:
    if name in ONCE:
        assert service(name)["healthcheck"] == {"disable": True}
        assert service(name)["restart"].startswith("on-failure:")
    else:
        assert service(name)["healthcheck"]["test"][0] == "CMD"
        assert service(name)["restart"] == "unless-stopped"


@every_service
def test_a_service_may_do_little_and_is_bounded(name: str) -> None:
    one = service(name)
    assert one["read_only"] is True
    assert one["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in one["security_opt"]
    assert set(one["deploy"]["resources"]["limits"]) == {"cpus", "memory", "pids"}
    assert set(one["logging"]["options"]) == {"max-size", "max-file"}


@every_service
def test_ports_are_on_loopback_alone(name: str) -> None:
    ports = service(name).get("ports", [])
    assert all(port.startswith("127.0.0.1:") for port in ports)
    assert not ports or "loopback" in service(name)["networks"], "an internal network publishes nothing"


@every_worker
def test_workers_reach_the_servers_and_nothing_else(name: str) -> None:
    assert service(name)["networks"] == ["backend"]
    assert compose()["networks"]["backend"] == {"internal": True}


@every_worker
def test_workers_can_be_many(name: str) -> None:
    assert not {"container_name", "ports", "hostname"} & set(service(name))
    assert service(name)["deploy"]["replicas"] == 2


@every_worker
def test_a_worker_is_asked_for_its_health_where_it_answers(name: str) -> None:
    http = coatchecks()[name].http
    assert (http.host, http.port) == ("0.0.0.0", 8080)
    assert service(name)["healthcheck"]["test"][-1] == "/opt/coatcheck/healthy.py"


@every_worker
def test_a_worker_is_given_its_grace_to_stop(name: str) -> None:
    seconds = float(service(name)["stop_grace_period"].removesuffix("s"))
    assert seconds > coatchecks()[name].worker.grace_seconds + 5


@every_worker
def test_results_in_pieces_wait_on_a_disk(name: str) -> None:
    """All of them together would fill a file system in memory: it counts against the limit."""
    assert {"type": "volume", "target": "/tmp"} in service(name)["volumes"]
    assert coatchecks()[name].worker.uploads * SPOOL_BYTES > 1024**3


@every_worker
def test_a_worker_waits_for_a_provisioning_that_has_ended_well(name: str) -> None:
    (before,) = service(name)["depends_on"].items()
    assert before == (name.replace("worker", "provision"), {"condition": "service_completed_successfully"})


def test_provisioning_and_workers_log_in_as_users_of_their_own() -> None:
    logins = {name: (one.nats.user, one.storage.access_key) for name, one in coatchecks().items()}
    assert logins == {
        "provision": ("provisioner", "coatcheck-provisioner"),
        "provision-cluster": ("provisioner", "coatcheck-provisioner"),
        "worker": ("worker", "coatcheck-worker"),
        "worker-cluster": ("worker", "coatcheck-worker"),
    }


def test_what_starts_by_itself_needs_nothing_of_the_cluster() -> None:
    apart = {name for name, one in services_of().items() if one.get("profiles") == ["cluster"]}
    assert apart == {"nats-1", "nats-2", "nats-3", "provision-cluster", "worker-cluster"}
    for name in set(services_of()) - apart:
        assert not set(service(name).get("depends_on", {})) & apart


@pytest.mark.parametrize("name", ["provision-cluster", "worker-cluster"])
def test_the_cluster_has_three_servers_and_copies_and_its_own_part_of_the_bucket(name: str) -> None:
    settings = coatchecks()[name]
    assert len(parse_servers(settings.nats.url).urls) == settings.nats.replicas == 3
    assert settings.storage.prefix != coatchecks()["worker"].storage.prefix
