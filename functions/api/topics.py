"""Endpoint of events, for clients without WebSockets."""

from typing import Any

from django.http import Http404, HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from functions.api.problems import refusals
from functions.api.schemas import Answer
from runner.events.topics import poll_events

MOST_EVENTS = 2**63 - 1

router = Router(tags=["topics"])


class EventShown(Answer):
    """An event of a topic."""

    seq: int
    type: str
    payload: dict[str, object]
    # Text, so that it has the same format here as on a socket.
    at: str = Field(json_schema_extra={"format": "date-time"})


class EventPage(Answer):
    """Events after `after`; with `reset`, reload the state and continue from its `seq`."""

    topic: str
    epoch: int
    head: int
    events: list[EventShown]
    reset: bool = False
    reason: str = ""


class EventQuery(Schema):
    """The position to read from."""

    after: int = Field(0, ge=0, le=MOST_EVENTS, description="the last event that you have")
    epoch: int | None = Field(None, description="the epoch that `after` belongs to")


@router.get(
    "/{topic}/events",
    response={200: EventPage, **refusals(400, 404)},
    summary="Read a topic's events",
)
def read_events(request: HttpRequest, topic: str, query: Query[EventQuery]) -> dict[str, Any]:
    """Return the next events in order; for more, pass the last one's `seq` as `after`."""
    try:
        return poll_events(request.user, topic, **query.model_dump())
    except PermissionError as forbidden:
        raise Http404 from forbidden
