"""The network policies let the workers reach what their settings name, and nothing else."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.support.deploying import KUBERNETES, resource, variables

from coatcheck_core.settings import load

BASE = KUBERNETES / "base"
NAMESPACE = "kubernetes.io/metadata.name"


def opened(policy: dict[str, Any], direction: str, peer: str) -> set[tuple[str, int]]:
    """The namespaces and ports that a policy opens, with each rule's both halves there: one without is open to all."""
    found = set()
    for rule in policy["spec"][direction]:
        for one in rule[peer]:
            assert set(one) == {"namespaceSelector"}
            found |= {(one["namespaceSelector"]["matchLabels"][NAMESPACE], port["port"]) for port in rule["ports"]}
    return found


def place(url: str) -> tuple[str, int]:
    """The namespace and the port of a service's URL."""
    host, port = urlsplit(url).hostname, urlsplit(url).port
    assert host is not None
    assert port is not None
    return host.split(".")[1], port


def test_programs_reach_the_servers_that_their_settings_name() -> None:
    settings, _ = load(environ=variables(BASE / "settings.env"))
    policy = resource(BASE, "NetworkPolicy", "coatcheck")
    assert policy["spec"]["podSelector"] == {}
    assert policy["spec"]["policyTypes"] == ["Ingress", "Egress"]
    servers = {place(settings.nats.url), place(settings.storage.endpoint)}
    assert opened(policy, "egress", "to") == {("kube-system", 53), *servers}


def test_only_metrics_are_asked_of_workers() -> None:
    settings, _ = load(environ=variables(BASE / "settings.env"))
    assert "ingress" not in resource(BASE, "NetworkPolicy", "coatcheck")["spec"]
    policy = resource(BASE, "NetworkPolicy", "coatcheck-worker-metrics")
    assert opened(policy, "ingress", "from") == {("monitoring", settings.http.port)}


def test_traces_reach_the_collector() -> None:
    folder = KUBERNETES / "components/tracing"
    endpoint = variables(folder / "tracing.env")["OTEL_EXPORTER_OTLP_ENDPOINT"]
    assert opened(resource(folder, "NetworkPolicy"), "egress", "to") == {place(endpoint)}


@pytest.mark.parametrize("name", ["coatcheck-worker-metrics", "coatcheck"])
def test_a_policy_is_for_the_pods_of_coatcheck(name: str) -> None:
    selected = resource(BASE, "NetworkPolicy", name)["spec"]["podSelector"].get("matchLabels", {})
    assert selected in ({}, {"app.kubernetes.io/component": "worker"})
