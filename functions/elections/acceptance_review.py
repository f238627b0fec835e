"""Enqueues reviews of acceptance tests whose programs may have changed."""

from collections import defaultdict
from collections.abc import Mapping

from django.db.models import Q

from functions.models import AcceptanceTest, Function
from runner.pipelines.follow_up_queue import NewFollowUp
from runner.pipelines.outbox import enqueue_follow_ups

REVIEW = "functions.review"


def enqueue_review(changed: Mapping[Function, int | None]) -> None:
    """Enqueue reviews of acceptance tests that involve or mark one of these functions.

    `changed` maps each function to the user in whose name the reviews are queued.
    """
    by_owner: dict[int | None, list[Function]] = defaultdict(list)
    for function, owner_id in changed.items():
        by_owner[owner_id].append(function)
    enqueue_follow_ups(
        [
            NewFollowUp(name=REVIEW, target=str(pk), owner_id=owner_id)
            for owner_id, functions in by_owner.items()
            for pk in _affected(functions)
        ]
    )


def _affected(functions: list[Function]) -> list[int]:
    """Return the functions whose acceptance tests involve or mark one of these."""
    names = [function.name_key for function in functions]
    affected = Q(target__in=functions) | Q(function__in=functions) | Q(names__overlap=names)
    tests = AcceptanceTest.objects.filter(
        affected, state=AcceptanceTest.State.PUBLISHED, function__deleted_at=None
    )
    return sorted(set(tests.values_list("function", flat=True)))
