"""The comparison of two works of a function: code, results and lineage."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from functions.contests.rules import PASSED
from functions.errors import NotFound, no_such
from functions.models import Function, Implementation, Test, Work
from functions.read_models.cells import Matrix, MatrixCell, load_matrix
from functions.read_models.links import FunctionLink, links_of_works
from functions.read_models.snapshot import snapshot
from functions.read_models.works import (
    ImplementationCard,
    TestCard,
    implementation_card,
    test_card,
    visible,
)
from functions.source.diff import Difference, compare, lines_of
from runner.registry import Actor

AnyWork = Implementation | Test
Card = ImplementationCard | TestCard
NONE_TO_COMPARE_WITH = {
    "implementation": gettext_noop("There is no such implementation to compare with."),
    "test": gettext_noop("There is no such test to compare with."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Relative:
    """Another work of the same function."""

    id: int
    number: int | None
    label: str
    title: str
    author: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The results of both works against one opponent: a test, or for tests an implementation."""

    opponent: Relative
    left: MatrixCell | None
    right: MatrixCell | None

    @property
    def verdicts(self) -> tuple[str, str]:
        return _verdict(self.left), _verdict(self.right)

    @property
    def differs(self) -> bool:
        left, right = self.verdicts
        return left != right and bool(left and right)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkComparison:
    """The differences of the right work from the left one."""

    function: Function
    noun: str
    left: Card
    right: Card
    difference: Difference
    matches: tuple[Match, ...]
    ancestors: tuple[Relative, ...]  # origins of the right one, oldest first
    copies: tuple[Relative, ...]  # published copies of it
    choices: tuple[Relative, ...]  # itself and all works that it may be compared with

    @property
    def differing(self) -> tuple[Match, ...]:
        return tuple(match for match in self.matches if match.differs)

    @property
    def gained(self) -> tuple[str, ...]:
        """Opponents that only the right one passed."""
        found = [match for match in self.differing if match.verdicts[1] == PASSED]
        return tuple(match.opponent.label for match in found)

    @property
    def lost(self) -> tuple[str, ...]:
        """Opponents that only the left one passed."""
        found = [match for match in self.differing if match.verdicts[0] == PASSED]
        return tuple(match.opponent.label for match in found)

    @property
    def depends_on(self) -> Mapping[str, tuple[FunctionLink, ...]]:
        """The dependencies of both, of the left only, of the right only."""
        left = {link.key: link for link in self.left.depends_on}
        right = {link.key: link for link in self.right.depends_on}
        return {
            "both": tuple(link for key, link in right.items() if key in left),
            "left": tuple(link for key, link in left.items() if key not in right),
            "right": tuple(link for key, link in right.items() if key not in left),
        }


def compare_works(work: AnyWork, actor: Actor, *, against: int | None = None) -> WorkComparison:
    """Compare a work with `against`; by default its origin, the current one, or the previous one.

    Raises NotFound if there is no other work, or the reader may not see one of them.
    """
    with snapshot():
        function = Function.objects.get(pk=work.function_id)
        known = _relatives(work, function, actor)
        if work.pk not in known:
            raise no_such(work.noun)
        other = _choose(known, work.pk, function.elected_id) if against is None else against
        if other not in known:
            raise NotFound("not_found", _(NONE_TO_COMPARE_WITH[work.noun]))
        return _compare(function, actor, known, type(work), other, work.pk)


def _relatives(work: AnyWork, function: Function, actor: Actor) -> dict[int, AnyWork]:
    model: Any = type(work)
    works = visible(model.objects.filter(function=function), actor.pk).defer(
        "code", "based_on__code"
    )
    return {work.pk: work for work in works.order_by("pk")}


def _choose(known: Mapping[int, AnyWork], pk: int, elected_id: int | None) -> int:
    origin = known[pk].based_on_id
    others = [other for other in known if other != pk]
    preferred = (origin, elected_id if isinstance(known[pk], Implementation) else None)
    first = next((other for other in preferred if other in known and other != pk), None)
    before = [other for other in others if other < pk]
    return first or (before or others or [0])[-1]


def _compare(
    function: Function,
    actor: Actor,
    known: Mapping[int, AnyWork],
    model: type[Implementation | Test],
    left: int,
    right: int,
) -> WorkComparison:
    cards = _cards(function, actor, model, {left, right})
    return WorkComparison(
        function=function,
        noun=model.noun,
        left=cards[left],
        right=cards[right],
        difference=compare(lines_of(cards[left].source), lines_of(cards[right].source)),
        matches=tuple(_matches(function, model, left, right)),
        ancestors=tuple(_ancestors(known, right, function)),
        copies=tuple(
            _relative(other, function)
            for other in known.values()
            if other.based_on_id == right and other.number
        ),
        choices=tuple(_relative(other, function) for other in known.values()),
    )


def _cards(
    function: Function, actor: Actor, model: type[Implementation | Test], ids: set[int]
) -> dict[int, Card]:
    rows: Any = model.objects
    works = list(visible(rows.filter(pk__in=ids), actor.pk))
    of_implementations, of_tests = links_of_works(**{f"{model.noun}s": ids})
    return {
        work.pk: implementation_card(work, function, actor, of_implementations.get(work.pk, ()))
        if isinstance(work, Implementation)
        else test_card(work, function, actor, of_tests.get(work.pk, ()))
        for work in works
    }


def _matches(
    function: Function, model: type[Implementation | Test], left: int, right: int
) -> Iterable[Match]:
    other: Any = Test if model is Implementation else Implementation
    published = other.objects.filter(function=function, state=Work.State.PUBLISHED)
    opponents = list(published.select_related("author").defer("code").order_by("number"))
    results = _results(model, (left, right), [opponent.pk for opponent in opponents])
    for opponent in opponents:
        yield Match(
            opponent=_relative(opponent, function),
            left=results.get((left, opponent.pk)),
            right=results.get((right, opponent.pk)),
        )


def _results(
    model: type[Implementation | Test], works: Sequence[int], opponents: Sequence[int]
) -> Matrix:
    """Return the results of these works, by work and opponent."""
    if model is Implementation:
        return load_matrix(works, opponents)
    return {(test or 0, pk): result for (pk, test), result in load_matrix(opponents, works).items()}


def _verdict(result: MatrixCell | None) -> str:
    return (result.verdict or "") if result else ""


def _ancestors(known: Mapping[int, AnyWork], pk: int, function: Function) -> list[Relative]:
    found: list[Relative] = []
    origin = known.get(known[pk].based_on_id or 0)
    while origin is not None:
        found.append(_relative(origin, function))
        origin = known.get(origin.based_on_id or 0)
    return found[::-1]


def _relative(work: AnyWork, function: Function) -> Relative:
    return Relative(
        id=work.pk,
        number=work.number,
        label=str(work),
        title=work.title,
        author=work.author.get_username(),
        is_current=isinstance(work, Implementation) and work.pk == function.elected_id,
    )
