"""The dashboard and the alerts name metrics and labels that servers export."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from recuerdo.observability.metrics import Metrics

_DEPLOY = Path(__file__).parents[2] / "deploy"
_DASHBOARD: dict[str, Any] = json.loads((_DEPLOY / "grafana" / "recuerdo.json").read_text("utf-8"))
_ALERTS = [
    rule
    for group in yaml.safe_load((_DEPLOY / "prometheus" / "alerts.yml").read_text())["groups"]
    for rule in group["rules"]
]
_EXPRESSIONS = [
    *(target["expr"] for panel in _DASHBOARD["panels"] for target in panel.get("targets", ())),
    *(rule["expr"] for rule in _ALERTS),
]
_DOCUMENTED = (Path(__file__).parents[2] / "docs" / "how-to" / "watch-it.md").read_text("utf-8")
_SUFFIX = re.compile(r"_(bucket|count|sum)$")


def _exported() -> set[str]:
    rendered = Metrics().render().decode()
    families = [family.name for family in text_string_to_metric_families(rendered)]
    return {name for family in families for name in (family, f"{family}_total")}


@pytest.mark.parametrize("expression", _EXPRESSIONS)
def test_a_query_is_about_metrics_that_exist(expression: str) -> None:
    names = {_SUFFIX.sub("", name) for name in re.findall(r"\b(?:recuerdo|process)_\w+", expression)}
    assert names
    known = _exported() | set(re.findall(r"`(recuerdo_\w+)`", _DOCUMENTED))
    assert names <= known
    assert expression.count("(") == expression.count(")")


def test_every_documented_metric_of_requests_is_on_the_dashboard_or_explained() -> None:
    """Those that are not drawn are sizes, ages and versions, which change rarely."""
    documented = set(re.findall(r"`(recuerdo_\w+)`", _DOCUMENTED))
    drawn = {_SUFFIX.sub("", name) for query in _EXPRESSIONS for name in re.findall(r"\brecuerdo_\w+", query)}
    rare = {
        name
        for name in documented - drawn
        if not name.startswith(("recuerdo_context", "recuerdo_actions_without", "recuerdo_build"))
    }
    assert not rare


def test_every_alert_says_what_to_do() -> None:
    for rule in _ALERTS:
        assert rule["labels"]["severity"] in ("critical", "warning"), rule["alert"]
        assert rule["annotations"].keys() == {"summary", "description"}, rule["alert"]


def test_every_panel_has_a_place_of_its_own_and_says_what_it_shows() -> None:
    panels = [panel for panel in _DASHBOARD["panels"] if panel["type"] != "row"]
    assert all(panel["description"] for panel in panels)
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels]
    assert len(set(places)) == len(places)
