"""Writes events as the machinery does: numbered under the topic's lock, then a wake-up."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from runner.events.wakeups import wake_followers
from runner.models import Event, Topic


def write(topic: str, payloads: Sequence[Any], *, kind: str = "notice", waking: bool = True) -> int:
    """Append an event per payload in one transaction and return the new head."""
    with transaction.atomic():
        Topic.objects.get_or_create(name=topic)
        row = Topic.objects.select_for_update().get(name=topic)
        first = row.head_seq + 1
        Event.objects.bulk_create(
            Event(topic=row, seq=seq, type=kind, payload=payload, created_at=timezone.now())
            for seq, payload in enumerate(payloads, first)
        )
        row.head_seq += len(payloads)
        row.save(update_fields=["head_seq"])
    if waking:
        wake_followers([row.id])
    return row.head_seq


def purge(topic: str, first_seq: int) -> None:
    """Remove the events before `first_seq`."""
    with transaction.atomic():
        Topic.objects.filter(name=topic).update(first_seq=first_seq)
        Event.objects.filter(topic__name=topic, seq__lt=first_seq).delete()
