"""Fan-out of events: one delivery for each webhook that wants an event, page by page."""

from collections.abc import Collection

from django.db.models import Q

from functions.models import Dependency, Webhook, Work
from functions.webhooks.deliveries import enqueue_deliveries
from functions.webhooks.events import FAN_OUT, Event
from functions.webhooks.payloads import payload_of
from runner.models import FollowUp
from runner.pipelines.follow_up_queue import NewFollowUp
from runner.pipelines.outbox import enqueue_follow_ups
from runner.registry import RowsByTarget

PAGE = 500
MAX_EVENTS = 64


def fan_out_events(rows_by_target: RowsByTarget) -> Collection[str]:
    """Enqueue the deliveries of these events, a page of each; a follow-up handler.

    What is read is what may be seen now: events of what was deleted or hidden end here.
    """
    rows = [row for each in rows_by_target.values() for row in each]
    enqueue_follow_ups([more for row in rows if (more := _enqueue_page(row)) is not None])
    return rows_by_target


def _enqueue_page(row: FollowUp) -> NewFollowUp | None:
    """Enqueue a page of an event's deliveries; return the follow-up for the rest."""
    given = row.arguments["event"]
    event = Event(**given)
    ids = _wanting(event, row.arguments.get("after", 0))
    if not ids or (payload := payload_of(event)) is None:
        return None
    enqueue_deliveries(ids, event=event.name, key=event.key, payload=payload, actor_id=event.actor)
    if len(ids) < PAGE:
        return None
    arguments = {"event": given, "after": ids[-1]}
    return NewFollowUp(name=FAN_OUT, target=row.target, arguments=arguments, owner_id=row.owner_id)


def _wanting(event: Event, after: int) -> list[int]:
    """Return the next webhooks that want this event and were there when it happened."""
    wanting = Webhook.objects.filter(
        active=True, events__contains=[event.name], created_at__lte=event.at, pk__gt=after
    )
    # Apart, as each has an index of its own.
    found = (
        wanting.filter(function=event.function),
        wanting.filter(person=event.person or 0),
        wanting.filter(_uses(event.function), subject=Webhook.Subject.DEPENDENCIES),
    )
    ids = [each.order_by().values_list("pk", flat=True) for each in found]
    return list(ids[0].union(*ids[1:]).order_by("pk")[:PAGE])


def _uses(function_id: int) -> Q:
    """Return the condition that a published work of a webhook's owner uses this function."""
    used = Dependency.objects.filter(target=function_id)
    published = Work.State.PUBLISHED
    implementers = used.filter(implementation__state=published).values("implementation__author")
    testers = used.filter(test__state=published).values("test__author")
    return Q(owner__in=implementers) | Q(owner__in=testers)
