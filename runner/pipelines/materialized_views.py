"""Materialised views: exact totals over many sources, each written once for many changes.

To change its value, a source updates its own row and appends an update in the same transaction
(`sequences.append_update`), so writers never wait for one another. A join applies all updates that
have arrived for a target to its total, in one transaction with the consequences.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Sum
from django.db.models.functions import Now

from runner.models import Arrival, Contribution
from runner.pipelines.fork_join import Joiner, lock_all_targets, try_lock_target
from runner.pipelines.sequences import Difference, apply_arrivals, apply_updates
from runner.registry import handlers
from runner.telemetry.incidents import record_incident

log = logging.getLogger(__name__)

DATABASE_AWAY = (OperationalError, InterfaceError)
VIEW_REBUILT = "view_rebuilt"
STALE_AFTER = timedelta(seconds=2)
_MAX_STALE_TARGETS = 100
_TARGETS_PER_CHECK = 200


def apply_target(name: str, target: int) -> bool:
    """Apply the target's updates; false if another session is doing it."""
    with transaction.atomic():
        if not try_lock_target(name, target):
            return False
        if differences := apply_arrivals(name, target):
            handlers.views[name].add(differences)
    return True


def enqueue_join(name: str, target: int) -> None:
    """Schedule a join of the target in this process, after the transaction."""
    transaction.on_commit(lambda: joiner.notify((name, target)))


joiner = Joiner[tuple[str, int]](lambda target: apply_target(*target))


def rebuild(name: str, target: int) -> bool:
    """Correct the target's total from its sources; true if it was wrong, which is an incident.

    A total that only lacks pending updates is not wrong. All joins of the view are blocked
    meanwhile.
    """
    with transaction.atomic():
        lock_all_targets(name)
        _add(name, apply_arrivals(name, target))
        updates = handlers.views[name].updates(target)
        differences = apply_updates(name, updates)
        differences += _remove_strays(name, target, [update.source for update in updates])
        # Sources that changed since the first of these statements have a pending update.
        pending_sources = _pending_sources(name, differences)
        _add(name, _by_target(differences))
        missing = _missing_from_total(name, target)
        _add(name, {target: missing} if missing else {})
        unexplained = [
            difference for difference in differences if difference.source not in pending_sources
        ]
        if not unexplained and not missing:
            return False
        detail = f"{name} {target} missed {len(unexplained)} sources and was off by {missing}"
        record_incident(VIEW_REBUILT, detail)
    return True


def _add(name: str, differences: Mapping[int, int]) -> None:
    if differences:
        handlers.views[name].add(differences)


def _by_target(differences: Sequence[Difference]) -> dict[int, int]:
    totals: dict[int, int] = {}
    for difference in sorted(differences, key=lambda each: each.target):
        totals[difference.target] = totals.get(difference.target, 0) + difference.amount
    return {target: amount for target, amount in totals.items() if amount}


def _remove_strays(name: str, target: int, sources: Sequence[int]) -> list[Difference]:
    """Stop counting sources that don't belong to the target; return the changes.

    A source with a pending update is skipped: it may have moved to another target.
    """
    counted = Contribution.objects.filter(view=name, target=target).exclude(value=0)
    strays = dict(counted.exclude(source__in=sources).values_list("source", "value"))
    moving = Arrival.objects.filter(view=name, source__in=strays)
    for source in moving.values_list("source", flat=True):
        strays.pop(source, None)
    Contribution.objects.filter(view=name, source__in=strays).update(value=0)
    return [Difference(source, target, -value) for source, value in strays.items()]


def _pending_sources(name: str, differences: Sequence[Difference]) -> set[int]:
    sources = {difference.source for difference in differences}
    arrivals = Arrival.objects.filter(view=name, source__in=sources)
    return set(arrivals.values_list("source", flat=True))


def _missing_from_total(name: str, target: int) -> int:
    """Return how much the stored total lacks; 0 if the target no longer exists."""
    counted = Contribution.objects.filter(view=name, target=target)
    counted_sum: int = counted.aggregate(sum=Sum("value"))["sum"] or 0
    shown = [
        total.shown
        for total in handlers.views[name].totals(target - 1, 1)
        if total.target == target
    ]
    return counted_sum - shown[0] if shown else 0


class ViewSweeper:
    """Applies stale updates and checks totals, some at a time; called by the sweeper."""

    def __init__(self) -> None:
        self._last_target: dict[str, int] = {}  # last checked target, by view

    def sweep(self) -> int:
        """Do some work; return the number of targets that were stale or wrong."""
        return self._apply_stale() + sum(self._check(name) for name in handlers.views)

    def _apply_stale(self) -> int:
        waiting = Arrival.objects.filter(
            view__in=handlers.views, arrived_at__lt=Now() - STALE_AFTER
        )
        stale = waiting.values_list("view", "target").distinct()[:_MAX_STALE_TARGETS]
        return sum(_try_one(apply_target, name, target) for name, target in list(stale))

    def _check(self, name: str) -> int:
        """Rebuild wrong totals among the next targets of this view."""
        totals = handlers.views[name].totals(self._last_target.get(name, 0), _TARGETS_PER_CHECK)
        # After the last target, start again with the first.
        self._last_target[name] = totals[-1].target if len(totals) == _TARGETS_PER_CHECK else 0
        # Totals with pending updates look wrong too; `rebuild` tells them apart.
        wrong = [total.target for total in totals if total.shown != total.sum]
        return sum(_try_one(rebuild, name, target) for target in wrong)


def _try_one(repair: Callable[[str, int], bool], name: str, target: int) -> bool:
    """Repair one target; log errors, so that other targets are not affected."""
    try:
        return repair(name, target)
    except DATABASE_AWAY:
        raise
    except Exception:
        log.exception("%s %s failed; left to the next sweep", name, target)
        return False


sweep_views = ViewSweeper().sweep
