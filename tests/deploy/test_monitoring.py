"""The dashboard and the alerts ask for metrics that there are."""

import json
import re

import pytest
import yaml
from django.conf import LazySettings
from django.test import Client

import socialcode.asgi
from tests.deploy.files import DEPLOY, checked, program, read

pytestmark = pytest.mark.django_db(transaction=True)
NAME = r"socialcode_\w+"


def shown() -> list[str]:
    """Return the expressions of the dashboard."""
    panels = json.loads(read("grafana/socialcode.json"))["panels"]
    return [target["expr"] for panel in panels for target in panel.get("targets", ())]


def alerting() -> list[str]:
    """Return the expressions of the alerts."""
    groups = yaml.safe_load(read("prometheus/alerts.yml"))["groups"]
    return [rule["expr"] for group in groups for rule in group["rules"]]


def names(expressions: list[str]) -> set[str]:
    found = {name for one in expressions for name in re.findall(NAME, one)}
    return {name.removesuffix("_bucket") for name in found}


def test_all_metrics_are_shown_and_what_is_shown_or_alerts_is_a_metric(
    client: Client, settings: LazySettings
) -> None:
    assert socialcode.asgi.application  # a web server's metrics are declared once it is loaded
    settings.METRICS_TOKEN = "a token"
    text = client.get("/metrics", headers={"Authorization": "Bearer a token"}).content.decode()
    exposed = set(re.findall(rf"^# TYPE ({NAME}) ", text, re.MULTILINE))
    assert len(exposed) > 25
    assert names(shown()) == exposed
    assert alerting()
    assert names(alerting()) < exposed


def test_prometheus_accepts_its_configuration() -> None:
    promtool = program("promtool")
    folder = DEPLOY / "prometheus"
    checked(promtool, "check", "config", "--syntax-only", str(folder / "prometheus.yml"))
    checked(promtool, "check", "rules", "--lint-fatal", str(folder / "alerts.yml"))
