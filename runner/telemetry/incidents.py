"""Incidents: what should not have happened, written down where operators and metrics find it."""

import logging

from runner.models import Incident

log = logging.getLogger(__name__)

FOLLOW_UP_GIVEN_UP = "follow_up_given_up"
PAGE_GIVEN_UP = "page_given_up"


def record_incident(kind: str, detail: str) -> None:
    """Write an incident down, in the caller's transaction if there is one; ids, never code."""
    log.error("incident %s: %s", kind, detail)
    Incident.objects.create(kind=kind, detail=detail)
