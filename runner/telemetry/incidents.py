"""Incidents: failures that operators and metrics should see."""

import logging

from runner.models import Incident

log = logging.getLogger(__name__)

FOLLOW_UP_GIVEN_UP = "follow_up_given_up"
PAGE_GIVEN_UP = "page_given_up"


def record_incident(kind: str, detail: str) -> None:
    """Store and log an incident, in the caller's transaction if any.

    `detail` should contain ids, never users' code.
    """
    log.error("incident %s: %s", kind, detail)
    Incident.objects.create(kind=kind, detail=detail)
