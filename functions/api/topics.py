"""Endpoint of events, for clients without WebSockets."""

from django.http import Http404, HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from functions.api.problems import refusals
from functions.api.schemas import EventPage
from runner.events.topics import poll_events

MOST_EVENTS = 2**63 - 1

router = Router(tags=["topics"])


class EventQuery(Schema):
    """From where to read on."""

    after: int = Field(0, ge=0, le=MOST_EVENTS, description="the last event that you have")
    epoch: int | None = Field(None, description="of the history that `after` counts in")


@router.get(
    "/{topic}/events",
    response={200: EventPage, **refusals(400, 404)},
    summary="Read a topic's events",
)
def read_events(request: HttpRequest, topic: str, wanted: Query[EventQuery]) -> EventPage:
    """Return the next events, in order; ask again with the last one's `seq` for more."""
    try:
        return EventPage(**poll_events(request.user, topic, wanted.after, wanted.epoch))
    except PermissionError as forbidden:
        raise Http404 from forbidden
