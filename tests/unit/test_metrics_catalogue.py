"""The metrics that there are, that are exposed, and that are written down are the same."""

import re
from pathlib import Path

import pytest
from tests.support.http import Scraped
from tests.support.telemetry import exposition

from coatcheck_workers.telemetry.catalogue import METRICS, PROCESS, Metric, table

PAGE = Path(__file__).parents[2] / "docs" / "observability.md"


def test_the_page_has_the_table() -> None:
    assert table() in PAGE.read_text(), "it is what telemetry/catalogue.py says: table()"


def test_what_is_exposed_is_the_catalogue() -> None:
    families = Scraped(exposition()).families.values()
    exposed = {f"{family.name}_total" if family.type == "counter" else family.name for family in families}
    assert exposed - set(PROCESS) == {metric.name for metric in METRICS}
    assert {family.name: family.type for family in families}["coatcheck_result_duration_seconds"] == "histogram"


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_name_says_its_unit_as_prometheus_wants_it(metric: Metric) -> None:
    assert re.fullmatch(r"coatcheck_[a-z_]+", metric.name)
    assert metric.name.endswith("_total") == (metric.kind == "counter")
    assert metric.kind != "histogram" or metric.name.endswith("_seconds")


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_no_label_could_be_an_id(metric: Metric) -> None:
    assert not set(metric.labels) & {"session", "turn", "call", "result_id", "tool", "ref", "subject"}
