"""Tells canaries what differs from their locks, each change once, by deliveries to their webhooks.

An election appends a follow-up for each of its names that anybody has locked. That compares
what each canary was told with what is true by then, and writes both the deliveries and what they
tell in one transaction. So it may come late, twice, or together with others.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from functions.canaries.changes import not_told
from functions.models import Canary, Function, Implementation, LockedRelease, Work
from functions.webhooks.deliveries import enqueue_deliveries
from runner.pipelines.follow_up_queue import NewFollowUp
from runner.pipelines.outbox import enqueue_follow_ups
from runner.registry import RowsByTarget

TELL = "functions.canaries"
RELEASED, YANKED, PROPOSED = "canary.released", "canary.yanked", "canary.proposed"
MAX_NAMES = 64
CANARIES_AT_ONCE = 50
MAX_CHANGES = 100  # in one delivery
MAX_CANDIDATES = 5  # of one function
_LOCKED = """
    select name from unnest(%s::text[]) as name
    where exists (select from functions_lockedrelease where name_key = name)
"""


def enqueue_notices(functions: Iterable[Function]) -> None:
    """Have the canaries told that lock one of these functions, after this transaction."""
    keys = sorted({function.name_key for function in functions})
    if not keys:
        return
    with connection.cursor() as cursor:
        cursor.execute(_LOCKED, [keys])
        locked = [key for (key,) in cursor.fetchall()]
    enqueue_follow_ups([NewFollowUp(name=TELL, target=key) for key in locked])


def tell(arrivals: RowsByTarget) -> Collection[str]:
    """Tell the canaries that lock one of these names; a follow-up handler.

    Returns all names, or none while there are more canaries to tell.
    """
    behind = _behind(LockedRelease.objects.filter(name_key__in=list(arrivals)))
    some = behind[: CANARIES_AT_ONCE + 1]
    _tell(some[:CANARIES_AT_ONCE])
    return arrivals.keys() if len(some) <= CANARIES_AT_ONCE else ()


def sweep_canaries(cursor: int) -> int:
    """Tell canaries that were registered while an election was being written; a periodic task."""
    canaries = Canary.objects.filter(pk__gt=cursor).order_by("pk")
    ids = list(canaries.values_list("pk", flat=True)[:CANARIES_AT_ONCE])
    with transaction.atomic():
        _tell(_behind(LockedRelease.objects.filter(canary__in=ids)))
    return ids[-1] if len(ids) == CANARIES_AT_ONCE else 0


def next_key(canary: Canary) -> str:
    """Return the key of the next delivery; the caller has the canary locked, and saves it."""
    canary.sequence += 1
    return f"canary {canary.pk}: {canary.sequence}"


def payload_of(canary: Canary, changes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the payload of a delivery; `more` changes are at `url`."""
    return {
        "canary": canary.pk,
        "project": canary.name,
        "changes": list(changes[:MAX_CHANGES]),
        "more": max(0, len(changes) - MAX_CHANGES),
        "url": reverse("api-1:list_lock_changes", args=[canary.pk]),
    }


def _behind(rows: Any) -> list[int]:
    return sorted(set(not_told(rows).values_list("canary", flat=True)))


def _tell(canary_ids: Collection[int]) -> None:
    """Tell these canaries everything that they haven't been told."""
    if not canary_ids:
        return
    rows = Canary.objects.filter(pk__in=canary_ids).order_by("pk")
    canaries = {one.pk: one for one in rows.select_for_update(no_key=True, of=("self",))}
    # Read again, as another worker may have told them before they were locked.
    found = not_told(LockedRelease.objects.filter(canary__in=canaries)).select_related("release")
    behind: dict[int, list[Any]] = defaultdict(list)
    for row in found.order_by("name_key"):
        behind[row.canary_id].append(row)
    candidates = _candidates(row.name_key for each in behind.values() for row in each if row.cause)
    for pk, each in behind.items():
        _tell_one(canaries[pk], each, candidates)
    told = [row for each in behind.values() for row in each]
    LockedRelease.objects.bulk_update(told, ["told_number", "told_yanked", "told_cause"])
    Canary.objects.bulk_update([canaries[pk] for pk in behind], ["sequence", "told_at"])


def _tell_one(canary: Canary, rows: Sequence[Any], candidates: Mapping[str, Sequence[int]]) -> None:
    """Enqueue the deliveries of one canary, each of one event, and note what they tell."""
    changes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        change = {
            "name": row.release.name,
            "locked": row.release.number,
            "former": row.told_number or None,
            "current": row.current or None,
        }
        if row.release.yanked != row.told_yanked:
            changes[YANKED].append({**change, "yanked": row.release.yanked or None})
        elif row.current != row.told_number:
            changes[RELEASED].append(change)
        elif row.cause:
            own = list(candidates.get(row.name_key, ()))
            changes[PROPOSED].append({**change, "candidates": own})
        row.told_number, row.told_yanked = row.current, row.release.yanked
        row.told_cause = row.cause
    for event, each in sorted(changes.items()):
        enqueue_deliveries(
            [canary.webhook_id] if canary.webhook_id else [],
            event=event,
            key=next_key(canary),
            payload=payload_of(canary, each),
        )
        canary.told_at = timezone.now()


def _candidates(keys: Iterable[str]) -> dict[str, list[int]]:
    """Return the numbers of implementations that are being judged, by the key of the name."""
    undecided = Implementation.objects.filter(
        function__name_key__in=set(keys),
        function__deleted_at=None,
        state=Work.State.PUBLISHED,
        standing=Implementation.Standing.UNJUDGED,
    )
    found: dict[str, list[int]] = defaultdict(list)
    rows = undecided.order_by("-score", "-published_at", "-pk")
    for key, number in rows.values_list("function__name_key", "number"):
        if number is not None and len(found[key]) < MAX_CANDIDATES:
            found[key].append(number)
    return found
