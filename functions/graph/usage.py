"""Counts of dependents, updated in the transaction that publishes, withdraws, defines or deletes.

Callers have locked the function's row and the names that its works use, so the counts are still
correct when they are written. Counts are locked after all other rows, ordered by id.
"""

from collections import Counter
from collections.abc import Collection, Iterable

from django.db.models import F, Q, QuerySet

from functions.models import Dependency, Function, Implementation, Test, Usage, Work
from functions.models.function import topic_of
from runner.pipelines.outbox import append_topic_events


def count_first_use(work: Implementation | Test) -> None:
    """Count the work's function as a dependent of all that no other work of it names."""
    _change(_named_by_no_other(work), 1)


def discount_last_use(work: Implementation | Test) -> None:
    """Discount uses of which a newly withdrawn work was the function's last."""
    _change(_named_by_no_other(work), -1)


def uses_of_only(work: Implementation | Test) -> set[int]:
    """Return the functions that the work names, and no other published work of its function."""
    return _named_by_no_other(work)


def change_uses(work: Implementation | Test, before: Collection[int]) -> None:
    """Count what only a revised work uses now, and discount what only it used `before`."""
    now, former = _named_by_no_other(work), {*before}
    counts = Usage.objects.filter(function__in=now ^ former)
    list(counts.order_by("function").select_for_update(no_key=True))
    _change(now - former, 1)
    _change(former - now, -1)


def begin_usage(function: Function, dependents: Collection[int]) -> None:
    """Create the count of a new function whose name published works of `dependents` already use."""
    Usage.objects.update_or_create(function=function, defaults={"dependents": len(dependents)})


def discount_all_uses(function: Function) -> None:
    """Discount all uses by a function that was just deleted."""
    _change(_targets(_published_works_of(function.pk), function.pk), -1)


def count_usage() -> Counter[int]:
    """Return the number of dependents of each function, recounted from all dependencies."""
    pairs = {
        pair
        for noun in ("implementation", "test")
        for pair in _published(noun).values_list("target", f"{noun}__function")
    }
    return Counter(target for target, function in pairs if target != function)


def _named_by_no_other(work: Implementation | Test) -> set[int]:
    """Return the functions that the work names, and no other published work of its function."""
    named = _targets(Q(**{work.noun: work}), work.function_id)
    if not named:
        return named
    others = _published_works_of(work.function_id) & ~Q(**{work.noun: work})
    return named - _targets(others & Q(target__in=named), work.function_id)


def _published_works_of(function_id: int) -> Q:
    published = Work.State.PUBLISHED
    return Q(implementation__function=function_id, implementation__state=published) | Q(
        test__function=function_id, test__state=published
    )


def _targets(works: Q, function_id: int) -> set[int]:
    found = Dependency.objects.filter(works, target__isnull=False).exclude(target=function_id)
    return set(found.values_list("target", flat=True))


def _published(noun: str) -> QuerySet[Dependency]:
    work = {f"{noun}__state": Work.State.PUBLISHED, f"{noun}__function__deleted_at": None}
    return Dependency.objects.filter(target__isnull=False, **work)


def _change(function_ids: Collection[int], difference: int) -> None:
    if not function_ids:
        return
    counts = Usage.objects.filter(function__in=function_ids)
    list(counts.order_by("function").select_for_update(no_key=True))
    counts.update(dependents=F("dependents") + difference)
    publish_dependents(function_ids)


def publish_dependents(function_ids: Iterable[int]) -> None:
    """Publish that the dependents of these functions, or the statuses of those, have changed."""
    append_topic_events(
        [(topic_of(pk), "dependents.changed", {"function": pk}) for pk in sorted({*function_ids})]
    )
