"""The read model of a function's chase."""

from dataclasses import dataclass

from functions.models import Function, Test


@dataclass(frozen=True, slots=True, kw_only=True)
class ChasingTest:
    """A test by which one of the functions depends on another's election."""

    id: int
    function: str
    label: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsettled:
    """Functions whose elections chase each other, and the tests that cause it."""

    others: tuple[str, ...]  # beside the function that is shown
    tests: tuple[ChasingTest, ...]


def unsettled(function: Function) -> Unsettled | None:
    """Return a function's chase, if it has one, in at most one query."""
    chase = function.chase
    if chase is None:
        return None
    tests = Test.objects.filter(pk__in=chase.tests).select_related("function").defer("code")
    return Unsettled(
        others=tuple(chase.others(function.name)),
        tests=tuple(
            ChasingTest(
                id=test.pk,
                function=test.function.name,
                label=str(test),
                url=test.get_absolute_url(),
            )
            for test in tests.order_by("function__name", "id")
        ),
    )
