"""deploy/kubernetes, checked without a cluster: it fits the schemas of its kinds, and names what exists."""

import json
from copy import deepcopy
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from tests.support.deploying import DEPLOY, KUBERNETES, ROOT, make_secrets, parsed, resource, resources, variables

from coatcheck_core.settings import Settings, load
from coatcheck_core.settings.errors import ConfigError
from coatcheck_schemas.permissions import SERVICE_ACCOUNT
from coatcheck_workers.flow import rehearsal
from coatcheck_workers.isolation import synopses
from coatcheck_workers.provisioning import declared
from coatcheck_workers.telemetry.catalogue import METRICS
from coatcheck_workers.uploads.taking import SPOOL_BYTES

BASE = KUBERNETES / "base"
KUSTOMIZATIONS = sorted([*KUBERNETES.rglob("kustomization.yaml"), DEPLOY / "dashboards/kustomization.yaml"])
WORKER = {"app.kubernetes.io/component": "worker"}

both_programs = pytest.mark.parametrize("kind", ["Deployment", "Job"])


def kustomization(file: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = parsed(file)
    return loaded


def pod(kind: str) -> dict[str, Any]:
    spec: dict[str, Any] = resource(BASE, kind)["spec"]["template"]["spec"]
    return spec


def container(kind: str) -> dict[str, Any]:
    (only,) = pod(kind)["containers"]
    return dict(only)


def environment(kind: str) -> dict[str, str]:
    return {**variables(BASE / "settings.env"), **{one["name"]: one["value"] for one in container(kind)["env"]}}


def settings(kind: str = "Deployment") -> Settings:
    return load(environ=environment(kind))[0]


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((ROOT / "tests/support/kubernetes.schema.json").read_text()))


@pytest.mark.parametrize("folder", [BASE, KUBERNETES / "components", DEPLOY / "dashboards"], ids=lambda path: path.name)
def test_givenfit_the_schemas_of_their_kinds(schema: jsonschema.Draft202012Validator, folder: Path) -> None:
    found = resources(folder)
    assert found
    for one in found:
        assert [f"{error.json_path}: {error.message}" for error in schema.iter_errors(one)] == []


def test_the_schemas_know_a_slip_of_the_pen(schema: jsonschema.Draft202012Validator) -> None:
    worker = deepcopy(resource(BASE, "Deployment"))
    worker["spec"]["template"]["spec"]["containers"][0]["livenesProbe"] = {}
    assert ["livenesProbe" in error.message for error in schema.iter_errors(worker)] == [True]


@pytest.mark.parametrize("file", KUSTOMIZATIONS, ids=lambda file: str(file.parent.relative_to(DEPLOY)))
def test_a_kustomization_names_what_exists_and_leaves_nothing_out(file: Path) -> None:
    named = kustomization(file)
    generated = [
        name for one in named.get("configMapGenerator", []) for key in ("envs", "files") for name in one.get(key, [])
    ]
    mentioned = [*named.get("resources", []), *named.get("components", []), *generated]
    for name in mentioned:
        assert (file.parent / name).exists(), name
    beside = {one.name for one in file.parent.iterdir() if one.is_file() and one != file}
    assert beside <= set(mentioned)


@both_programs
def test_the_environment_is_settings(kind: str) -> None:
    given = environment(kind)
    _, origins = load(environ=given)
    assert len(origins) == len(given)
    with pytest.raises(ConfigError, match="did you mean"):
        load(environ={**given, "COATCHECK_STORAGE__BUKET": "coatcheck"})


@pytest.mark.parametrize("name", ["components/tracing/tracing.env", "overlays/example/settings.env"])
def test_what_is_laid_over_the_base_is_settings(name: str) -> None:
    added = variables(KUBERNETES / name)
    ours = {one: value for one, value in added.items() if not one.startswith("OTEL_")}
    assert len(load(environ=ours)[1]) == len(ours)


@both_programs
def test_a_program_runs_a_command_that_exists(kind: str) -> None:
    assert container(kind)["args"][0] in {point.name for point in entry_points(group="coatcheck.commands")}


def test_the_image_has_the_version_of_this_tree() -> None:
    assert kustomization(BASE / "kustomization.yaml")["images"] == [
        {"name": "coatcheck", "newTag": version("coatcheck")}
    ]
    assert {container(kind)["image"] for kind in ("Deployment", "Job")} == {"coatcheck"}


@both_programs
def test_secrets_are_files_that_make_secrets_makes(kind: str, tmp_path: Path) -> None:
    make_secrets(tmp_path)
    (mount,) = [one for one in container(kind)["volumeMounts"] if one["name"] == "secrets"]
    (volume,) = [one["secret"] for one in pod(kind)["volumes"] if one["name"] == "secrets"]
    assert mount["readOnly"] is True
    assert volume["defaultMode"] == 0o440
    for file in (settings(kind).nats.password_file, settings(kind).storage.secret_key_file):
        assert str(Path(file).parent) == mount["mountPath"]
        assert (tmp_path / Path(file).name).is_file()


def test_no_secret_stands_in_any_file() -> None:
    assert not [one for one in resources(KUBERNETES) if one["kind"] == "Secret"]
    for file in KUBERNETES.rglob("*.env"):
        assert not [name for name in variables(file) if name.endswith(("PASSWORD", "SECRET_KEY", "TOKEN"))]


def test_provisioning_and_workers_log_in_as_users_of_their_own() -> None:
    assert (settings("Job").nats.user, settings("Job").storage.access_key) == ("provisioner", "coatcheck-provisioner")
    assert (settings().nats.user, settings().storage.access_key) == ("worker", "coatcheck-worker")


@both_programs
def test_a_program_may_do_little(kind: str) -> None:
    assert pod(kind)["automountServiceAccountToken"] is False
    assert pod(kind)["securityContext"]["runAsNonRoot"] is True
    assert pod(kind)["securityContext"]["runAsUser"] == 10001
    assert pod(kind)["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container(kind)["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {"memory", "ephemeral-storage"} <= set(container(kind)["resources"]["limits"])


def test_a_worker_is_asked_for_its_health_where_it_answers() -> None:
    assert settings().http.host == "0.0.0.0"
    assert container("Deployment")["ports"] == [{"name": "http", "containerPort": settings().http.port}]
    asked = {name: probe["httpGet"] for name, probe in container("Deployment").items() if name.endswith("Probe")}
    assert asked == {
        "startupProbe": {"path": "/healthz", "port": "http"},
        "livenessProbe": {"path": "/healthz", "port": "http"},
        "readinessProbe": {"path": "/readyz", "port": "http"},
    }


def test_a_worker_is_given_its_grace_to_stop() -> None:
    assert pod("Deployment")["terminationGracePeriodSeconds"] > settings().worker.grace_seconds + 5


def test_a_process_that_a_hostile_result_fills_does_not_end_the_worker() -> None:
    """As it would where all of them together come to the container's limit."""
    children = synopses.CHILDREN * synopses.CHILD_MEMORY_BYTES + rehearsal.MAX_MEMORY_BYTES
    given = container("Deployment")["resources"]
    alone = int(given["requests"]["memory"].removesuffix("Mi")) * 1024**2
    assert int(given["limits"]["memory"].removesuffix("Gi")) * 1024**3 >= alone + children


def test_results_in_pieces_find_room() -> None:
    (tmp,) = [one["emptyDir"] for one in pod("Deployment")["volumes"] if one["name"] == "tmp"]
    room = int(tmp["sizeLimit"].removesuffix("Gi"))
    assert room * 1024**3 > settings().worker.uploads * SPOOL_BYTES
    assert int(container("Deployment")["resources"]["limits"]["ephemeral-storage"].removesuffix("Gi")) > room


def test_what_selects_the_workers_finds_them() -> None:
    assert resource(BASE, "Deployment")["spec"]["template"]["metadata"]["labels"] == WORKER
    assert resource(BASE, "Deployment")["spec"]["selector"]["matchLabels"] == WORKER
    assert resource(BASE, "Service")["spec"]["selector"] == WORKER
    assert resource(BASE, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"] == WORKER
    spread = pod("Deployment")["topologySpreadConstraints"]
    assert all(one["labelSelector"]["matchLabels"] == WORKER for one in spread)
    monitored = resource(DEPLOY / "dashboards", "ServiceMonitor")["spec"]["selector"]["matchLabels"]
    assert monitored == {**WORKER, "app.kubernetes.io/part-of": "coatcheck"}
    assert resource(BASE, "Service")["spec"]["ports"][0]["port"] == settings().http.port


@pytest.mark.parametrize("component", ["autoscaling", "autoscaling-hpa"])
def test_an_autoscaler_scales_the_workers_and_is_not_set_back(component: str) -> None:
    folder = KUBERNETES / "components" / component
    kind = "ScaledObject" if component == "autoscaling" else "HorizontalPodAutoscaler"
    name = resource(BASE, "Deployment")["metadata"]["name"]
    assert resource(folder, kind)["spec"]["scaleTargetRef"]["name"] == name
    (patch,) = kustomization(folder / "kustomization.yaml")["patches"]
    assert patch["target"] == {"kind": "Deployment", "name": name}
    assert yaml.safe_load(patch["patch"]) == [{"op": "remove", "path": "/spec/replicas"}]


def test_the_backlog_that_scales_is_that_of_the_workers_consumers() -> None:
    triggers = resource(KUBERNETES / "components/autoscaling", "ScaledObject")["spec"]["triggers"]
    watched = [one["metadata"] for one in triggers if one["type"] == "nats-jetstream"]
    assert {(one["stream"], one["consumer"]) for one in watched} == {
        (one.stream, one.config.durable_name) for one in declared.consumers(settings())
    }
    assert {one["account"] for one in watched} == {SERVICE_ACCOUNT}
    assert all(int(one["lagThreshold"]) > 2 * settings().worker.in_flight for one in watched), (
        "it counts what is in hand"
    )
    assert {one["natsServerMonitoringEndpoint"].rpartition(":")[2] for one in watched} == {"8222"}


def test_the_metric_that_scales_is_one_of_the_workers() -> None:
    (scaler,) = resources(KUBERNETES / "components/autoscaling-hpa")
    (external,) = [one["external"]["metric"] for one in scaler["spec"]["metrics"] if one["type"] == "External"]
    (metric,) = [one for one in METRICS if one.name == external["name"]]
    assert metric.labels == tuple(external["selector"]["matchLabels"])
