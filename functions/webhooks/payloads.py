"""Payloads of events: what everybody may see when they are sent, and no code."""

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from functions.models import Comment, Election, Function, Implementation, Test, Work
from functions.webhooks.events import Event, EventName, instant_text

Payload = dict[str, Any]
_MODELS: Mapping[str, type[Implementation] | type[Test]] = {
    Implementation.noun: Implementation,
    Test.noun: Test,
}


def payload_of(event: Event) -> Payload | None:
    """Return the event's payload; None if it is not to be seen any more, or was no news."""
    function = Function.objects.filter(pk=event.function, deleted_at=None).first()
    if function is None:
        return None
    details = _READERS.get(event.name, _nothing_more)(event)
    if details is None:
        return None
    return {
        "at": event.at,
        "function": _described(function.name, function.get_absolute_url()),
        "work": None,
        "cause": event.cause or None,
        **details,
    }


def ping_payload() -> Payload:
    """Return the payload of a ping."""
    return {"at": instant_text(timezone.now()), "function": None, "work": None, "cause": None}


def _described(name: str, path: str) -> Payload:
    return {"name": name, "url": f"{settings.PUBLIC_URL}{path}"}


def _described_work(work: Implementation | Test) -> Payload:
    url = f"{settings.PUBLIC_URL}{work.get_absolute_url()}"
    return {"kind": work.noun, "id": work.pk, "name": str(work), "url": url}


def _nothing_more(_event: Event) -> Payload | None:
    return {}


def _election(event: Event) -> Payload | None:
    rows = Election.objects.select_related("function", "elected__function", "previous__function")
    election = rows.filter(pk=event.row).first()
    if election is None:
        return None
    works = (election.elected, election.previous)
    elected, previous = (_described_work(work) if work else None for work in works)
    why = f"{settings.PUBLIC_URL}{reverse('why', args=[election.function.name])}"
    return {"work": elected, "previous": previous, "cause": election.cause, "why": why}


def _work(event: Event) -> Payload | None:
    rows = _MODELS[event.noun].objects.exclude(state=Work.State.DRAFT)
    work = rows.select_related("function").filter(pk=event.row).first()
    return {"work": _described_work(work)} if work else None


def _comment(event: Event) -> Payload | None:
    rows = Comment.objects.filter(pk=event.row, deleted_at=None, hidden_at=None)
    comment = rows.select_related("implementation__function", "test__function").first()
    if comment is None:
        return None
    work = comment.implementation or comment.test
    url = f"{settings.PUBLIC_URL}{comment.get_absolute_url()}"
    shown = {"id": comment.pk, "url": url, "reply_to": comment.parent_id}
    return {"work": _described_work(work) if work else None, "comment": shown}


def _broken(event: Event) -> Payload | None:
    return {"blocked_by": event.blocked_by or None}


def _mended(event: Event) -> Payload | None:
    """A function whose first implementation was elected just now was never broken."""
    earlier = Election.objects.filter(function=event.function, created_at__lt=event.at)
    return {} if earlier.exclude(elected=None).exists() else None


_READERS: Mapping[str, Callable[[Event], Payload | None]] = {
    EventName.ELECTED: _election,
    EventName.BROKEN: _broken,
    EventName.MENDED: _mended,
    EventName.IMPLEMENTATION: _work,
    EventName.TEST: _work,
    EventName.COMMENT: _comment,
}
