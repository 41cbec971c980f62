"""The dashboard and the alerts: every metric and label that they ask for is one that a worker has."""

import json
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from tests.support.deploying import DEPLOY, resource

from coatcheck_workers.telemetry.catalogue import METRICS, PROCESS

FOLDER = DEPLOY / "dashboards"
OF_EVERY_SERIES = {"job", "instance"}
OF_A_BUCKET = "le"
LABELS = {metric.name: set(metric.labels) | OF_EVERY_SERIES for metric in METRICS}
LABELS |= {f"{one.name}_bucket": LABELS[one.name] | {OF_A_BUCKET} for one in METRICS if one.kind == "histogram"}
LABELS |= dict.fromkeys([*PROCESS, "up"], OF_EVERY_SERIES)


def panels() -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((FOLDER / "coatcheck.json").read_text())["panels"]
    return loaded


def alerts() -> list[dict[str, Any]]:
    return [one for group in resource(FOLDER, "PrometheusRule")["spec"]["groups"] for one in group["rules"]]


def expressions() -> Iterator[tuple[str, str]]:
    yield from ((one["alert"], one["expr"]) for one in alerts())
    yield from ((one["title"], target["expr"]) for one in panels() for target in one.get("targets", []))


EXPRESSIONS = list(expressions())


@pytest.mark.parametrize(("name", "expression"), EXPRESSIONS, ids=[name for name, _ in EXPRESSIONS])
def test_an_expression_asks_for_metrics_and_labels_that_there_are(name: str, expression: str) -> None:
    series = re.findall(r"\b(up|(?:coatcheck|process)_\w+)\b(?:\{([^}]*)\})?", expression)
    assert series
    for metric, selector in series:
        assert metric in LABELS, metric
        assert set(re.findall(r"(\w+)(?:=|!=|=~|!~)\"", selector)) <= LABELS[metric], selector
    known = set.union(*(LABELS[metric] for metric, _ in series))
    for names in re.findall(r"\b(?:by|on) \(([^)]*)\)", expression):
        assert set(names.split(", ")) <= known, names


def test_a_selector_s_values_are_those_of_the_catalogue() -> None:
    """Where the catalogue says all that there are."""
    closed = {
        (one.name, label): set(re.findall(r"`(\w+)`", values))
        for one in METRICS
        for label, values in one.values.items()
    }
    asked = [
        (metric, label, value)
        for _, expression in EXPRESSIONS
        for metric, selector in re.findall(r"\b(coatcheck_\w+)\{([^}]*)\}", expression)
        for label, values in re.findall(r"(\w+)=~?\"([^\"$]*)\"", selector)
        for value in values.split("|")
        if label in ("cause", "outcome")
    ]
    assert len(asked) > 3
    assert [one for one in asked if one[2] not in closed[one[0], one[1]]] == []


def test_the_rules_can_be_taken_out_for_a_prometheus_without_the_operator() -> None:
    """By the command that stands at their top."""
    file = FOLDER / "prometheus-rule.yaml"
    command = re.search(r"sed '[^']*'", file.read_text())
    assert command is not None
    taken = subprocess.run(f"{command[0]} {file}", shell=True, capture_output=True, check=True).stdout
    assert yaml.safe_load(taken) == resource(FOLDER, "PrometheusRule")["spec"]


@pytest.mark.parametrize("alert", alerts(), ids=lambda alert: alert["alert"])
def test_an_alert_says_what_is_wrong_and_where_the_runbook_has_it(alert: dict[str, Any]) -> None:
    assert alert["labels"]["severity"] in ("critical", "warning", "info")
    assert {"summary", "description", "runbook"} == set(alert["annotations"])
    path, _, anchor = alert["annotations"]["runbook"].partition("#")
    headings = re.findall(r"^#+ (\w+)$", (DEPLOY.parent / path).read_text(), re.MULTILINE)
    assert alert["alert"] in headings
    assert anchor == alert["alert"].lower()


def test_names_of_alerts_differ() -> None:
    names = [one["alert"] for one in alerts()]
    assert len(set(names)) == len(names)


def test_panels_have_ids_and_places_of_their_own() -> None:
    ids = [panel["id"] for panel in panels()]
    assert len(set(ids)) == len(ids)
    taken: set[tuple[int, int]] = set()
    for place in (panel["gridPos"] for panel in panels()):
        cells = {(place["x"] + dx, place["y"] + dy) for dx in range(place["w"]) for dy in range(place["h"])}
        assert max(x for x, _ in cells) < 24
        assert not cells & taken
        taken |= cells


def test_panels_take_the_variables_of_the_dashboard() -> None:
    variables = {one["name"] for one in json.loads((FOLDER / "coatcheck.json").read_text())["templating"]["list"]}
    for _, expression in ((name, one) for name, one in EXPRESSIONS if "$" in one):
        assert set(re.findall(r"\$(\w+)", expression)) <= variables | {"__rate_interval", "__range"}
