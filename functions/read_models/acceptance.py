"""Read models of acceptance tests."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from functions.models import AcceptanceTest, Dependency, Function, Work
from functions.names import name_key
from functions.permissions import may_moderate
from functions.read_models.snapshot import snapshot
from runner.registry import Actor

MAX_LISTED = 500
State = AcceptanceTest.State


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptancePanel:
    """The acceptance tests on a function's page."""

    own: tuple[AcceptanceTest, ...]  # its tests of others; drafts only for their author
    of_it: tuple[AcceptanceTest, ...]  # tests of it by other functions
    may_write: bool

    @property
    def failing(self) -> int:
        """Number of tests by other functions that its current implementation fails."""
        return sum(test.is_failing for test in self.of_it)

    @property
    def failing_own(self) -> int:
        """Number of its own tests that fail."""
        return sum(test.is_failing for test in self.own)


def acceptance_panel(
    function: Function, actor: Actor, *, are_there_any: bool = True
) -> AcceptancePanel:
    """Return the acceptance tests by and of a function, in at most one query."""
    may_write = may_moderate(actor, function)
    seen = Q(state=State.PUBLISHED)
    if may_write:
        seen |= Q(state=State.DRAFT, function=function, author=actor.pk)
    about = Q(function=function) | Q(target=function)
    found = list(_living().filter(seen, about).order_by("pk")) if are_there_any else []
    return AcceptancePanel(
        own=tuple(test for test in found if test.function_id == function.pk),
        of_it=tuple(test for test in found if test.target_id == function.pk),
        may_write=may_write,
    )


def acceptance_list(actor: Actor, *, function: str = "", target: str = "") -> list[AcceptanceTest]:
    """Return visible acceptance tests, filtered by function and target."""
    found = _living().filter(~Q(state=State.DRAFT) | Q(author=actor.pk))
    if function:
        found = found.filter(function__name_key=name_key(function))
    if target:
        found = found.filter(target__name_key=name_key(target))
    return list(found.order_by("pk")[:MAX_LISTED])


def acceptance_tests_of(keys: Collection[bytes]) -> QuerySet[AcceptanceTest]:
    """Return the acceptance tests with these programs."""
    return _living().filter(key__in=keys, state=State.PUBLISHED)


def names_used_by(function: Function) -> list[str]:
    """Return the names of the dependencies that the function may test."""
    used = Dependency.objects.filter(
        implementation__function=function,
        implementation__state=Work.State.PUBLISHED,
        target__deleted_at=None,
        target__isnull=False,
    )
    return list(used.order_by("target__name").values_list("target__name", flat=True).distinct())


def acceptance_test_for(pk: int, actor: Actor) -> AcceptanceTest | None:
    """Return the acceptance test; None if the reader may not see it."""
    with snapshot():
        test = _living().filter(pk=pk).first()
    if test is None or (test.state == State.DRAFT and test.author_id != actor.pk):
        return None
    return test


def _living() -> QuerySet[AcceptanceTest]:
    tests = AcceptanceTest.objects.filter(function__deleted_at=None)
    return tests.select_related("function", "target", "author")
