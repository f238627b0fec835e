"""Has acceptance tests looked at again when what they mean may have changed."""

from django.db.models import Q

from functions.models import AcceptanceTest, Function
from runner.outbox import follow_up

REVIEW = "functions.review"


def review_soon(*functions: Function) -> None:
    """Have those looked at, after the transaction, that one of these is in, or that mark it."""
    if not functions:
        return
    names = [function.name_key for function in functions]
    concerned = Q(target__in=functions) | Q(function__in=functions) | Q(names__overlap=names)
    tests = AcceptanceTest.objects.filter(
        concerned, state=AcceptanceTest.State.PUBLISHED, function__deleted_at=None
    )
    for pk in sorted(set(tests.values_list("function", flat=True))):
        follow_up(REVIEW, str(pk))
