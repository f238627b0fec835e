"""Has acceptance tests looked at again when what they mean may have changed."""

from django.db.models import Q

from functions.models import AcceptanceTest, Function
from runner.outbox import follow_up

REVIEW = "functions.review"


def review_soon(function: Function) -> None:
    """Have those looked at, after the transaction, that this function is in, or that mark it."""
    concerned = Q(target=function) | Q(function=function) | Q(names__contains=[function.name_key])
    tests = AcceptanceTest.objects.filter(
        concerned, state=AcceptanceTest.State.PUBLISHED, function__deleted_at=None
    )
    for pk in sorted(set(tests.values_list("function", flat=True))):
        follow_up(REVIEW, str(pk))
