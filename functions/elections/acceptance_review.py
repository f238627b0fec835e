"""Has acceptance tests looked at again when what they mean may have changed."""

from collections import defaultdict
from collections.abc import Mapping

from django.db.models import Q

from functions.models import AcceptanceTest, Function
from runner.pipelines.follow_up_queue import NewFollowUp
from runner.pipelines.outbox import enqueue_follow_ups

REVIEW = "functions.review"


def review_soon(changed: Mapping[Function, int | None]) -> None:
    """Have those looked at, after the transaction, that one of these is in, or that mark it.

    In the turns of those who have changed these.
    """
    of_owner: dict[int | None, list[Function]] = defaultdict(list)
    for function, owner_id in changed.items():
        of_owner[owner_id].append(function)
    enqueue_follow_ups(
        [
            NewFollowUp(name=REVIEW, target=str(pk), owner_id=owner_id)
            for owner_id, functions in of_owner.items()
            for pk in _concerned(functions)
        ]
    )


def _concerned(functions: list[Function]) -> list[int]:
    """Return the functions that have such acceptance tests."""
    names = [function.name_key for function in functions]
    concerned = Q(target__in=functions) | Q(function__in=functions) | Q(names__overlap=names)
    tests = AcceptanceTest.objects.filter(
        concerned, state=AcceptanceTest.State.PUBLISHED, function__deleted_at=None
    )
    return sorted(set(tests.values_list("function", flat=True)))
