"""The explanation of a function's current implementation: all candidates, with reasons."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from functions.contests.explanations import Entrant, Ruling, explain, why_not
from functions.contests.rules import PASSED, Standing, election_order
from functions.graph.queries import living_functions
from functions.models import Function, Implementation, Test, Vote, Work
from functions.read_models.cells import Matrix, MatrixCell, load_matrix
from functions.read_models.elections import ElectionList, election_list
from functions.read_models.links import MISSING, FunctionLink
from functions.read_models.snapshot import snapshot
from functions.read_models.unsettled import Unsettled, unsettled
from functions.recorded import recorded

# Names in reasons: `through A → B`, `blocked: A does`, and of old rows `blocked by A`.
_THROUGH = re.compile(r"through (.+)")
_BLOCKED_BY = re.compile(r"blocked(?: by|:) (\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSeen:
    """A test, with the reason if it doesn't count."""

    __test__ = False  # pytest: not a test class

    id: int
    label: str
    title: str
    counts: bool
    why_not: str
    standing_cause: str  # empty for a challenge
    standing: str  # the cause as text
    standing_since: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The result of a candidate with a counting test."""

    test: TestSeen
    result: MatrixCell | None

    @property
    def verdict(self) -> str:
        """The verdict of the current program; empty if there is none yet."""
        if self.result is None or not self.result.is_current:
            return ""
        return self.result.verdict or ""

    @property
    def message(self) -> str:
        """The message of the verdict."""
        return self.result.message if self.result and self.verdict else ""

    @property
    def key(self) -> str | None:
        """The key of the verdict's program."""
        return self.result.result_key if self.result and self.verdict else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An implementation with all that decided its standing."""

    id: int
    label: str
    title: str
    author: str
    published_at: datetime
    is_current: bool
    standing: str
    why_not: str  # empty for the current one
    owner_reason: str
    through: tuple[FunctionLink, ...]  # the functions that block it or make it circular
    score: int
    up: int
    down: int
    agent_score: int  # of the votes that are counted apart
    load: MatrixCell | None
    passed: tuple[Trial, ...]
    failed: tuple[Trial, ...]
    pending: tuple[Trial, ...]  # without a verdict

    @property
    def trials(self) -> int:
        return len(self.passed) + len(self.failed) + len(self.pending)


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyPage:
    """The explanation of the last election's outcome."""

    function: Function
    current: Candidate | None
    ruling: Ruling
    unsettled: Unsettled | None
    candidates: tuple[Candidate, ...]  # in election order
    withdrawn: tuple[Implementation, ...]
    tests: tuple[TestSeen, ...]  # counting ones first
    elections: ElectionList


def why_page(function: Function) -> WhyPage:
    """Return the explanation of the current implementation, from one snapshot.

    Raises Function.DoesNotExist if the function was deleted meanwhile.
    """
    with snapshot():
        row = Function.objects.select_related("chase").get(pk=function.pk, deleted_at=None)
        return _page(row)


def _page(function: Function) -> WhyPage:
    works = _published(function)
    tests = _tests(function)
    standing = [work for work in works if work.state == Work.State.PUBLISHED]
    entrants = {work.pk: _entrant(work) for work in standing}
    elected = next((work for work in works if work.pk == function.elected_id), None)
    counting = [test for test in tests if test.counts]
    results = load_matrix(entrants, (test.id for test in counting))
    votes = _votes(entrants)
    links = _links(standing)
    winner = entrants.get(elected.pk) if elected else None
    by_id = {work.pk: work for work in standing}
    candidates = tuple(
        _candidate(
            by_id[entrant.id],
            why="" if entrant is winner else why_not(entrant, winner),
            is_current=entrant is winner,
            results=results,
            counting=counting,
            votes=votes.get(entrant.id, (0, 0)),
            links=links,
        )
        for entrant in election_order(entrants.values())
    )
    return WhyPage(
        function=function,
        current=next((one for one in candidates if one.is_current), None),
        ruling=explain(
            list(entrants.values()),
            str(elected) if elected else "",
            judging=function.judging,
            together_with=[name for name in function.circle if name != function.name],
            unsettled_with=function.chase.others(function.name) if function.chase else (),
        ),
        unsettled=unsettled(function),
        candidates=candidates,
        withdrawn=tuple(work for work in works if work.state == Work.State.WITHDRAWN),
        tests=tests,
        elections=election_list(function),
    )


def _published(function: Function) -> list[Implementation]:
    works = Implementation.objects.filter(function=function).exclude(state=Work.State.DRAFT)
    return list(works.select_related("author").defer("code").order_by("id"))


def _tests(function: Function) -> tuple[TestSeen, ...]:
    tests = Test.objects.filter(function=function, state=Work.State.PUBLISHED)
    seen = [
        TestSeen(
            id=test.pk,
            label=str(test),
            title=test.title,
            counts=test.counts,
            why_not="" if test.counts else _why_it_decides_nothing(test),
            standing_cause=test.standing_cause,
            standing=test.get_standing_cause_display(),
            standing_since=test.standing_since,
        )
        for test in tests.defer("code").order_by("id")
    ]
    return tuple(sorted(seen, key=lambda test: not test.counts))


def _why_it_decides_nothing(test: Test) -> str:
    if test.health != Test.Health.WORKING:
        return f"{test.get_health_display()}: {recorded(test.reason)}"
    if test.acceptable is False:
        if not test.acceptable_reason:
            return _("marked unacceptable by the owner")
        text = _("marked unacceptable by the owner: %(reason)s")
        return (text % {"reason": test.acceptable_reason}).rstrip(": ")
    if not test.is_acceptable:
        return _("its score is below zero")
    if not test.is_challenge:
        return _("not judged yet")
    return _(
        "a challenge: it counts once the owner accepts it, it reaches +1, or the current "
        "implementation passes it"
    )


def _entrant(work: Implementation) -> Entrant:
    return Entrant(
        id=work.pk,
        label=str(work),
        standing=Standing(work.standing),
        reason=recorded(work.standing_reason),
        score=work.score,
        published_at=work.published_at or work.created_at,
    )


def _votes(works: Mapping[int, Entrant]) -> dict[int, tuple[int, int]]:
    """Return the numbers of (up, down) votes on each."""
    rows = Vote.objects.filter(implementation__in=works, apart=False).values("implementation")
    counted = rows.annotate(up=Count("pk", filter=Q(value=1)), down=Count("pk", filter=Q(value=-1)))
    return {row["implementation"]: (row["up"], row["down"]) for row in counted}


def _names(work: Implementation) -> list[str]:
    if work.standing == Standing.CIRCULAR and (found := _THROUGH.search(work.standing_reason)):
        return found[1].split(" → ")
    if work.standing == Standing.BLOCKED and (found := _BLOCKED_BY.search(work.standing_reason)):
        return [found[1]]
    return []


def _links(works: Sequence[Implementation]) -> dict[str, FunctionLink]:
    """Return the links of names in the reasons."""
    names = {name for work in works for name in _names(work)}
    known = living_functions({name.lower() for name in names}) if names else {}
    return {name: _link(name, known.get(name.lower())) for name in names}


def _link(name: str, function: Function | None) -> FunctionLink:
    return FunctionLink(name=name, status=function.status if function else MISSING)


def _candidate(
    work: Implementation,
    *,
    why: str,
    is_current: bool,
    results: Matrix,
    counting: Sequence[TestSeen],
    votes: tuple[int, int],
    links: Mapping[str, FunctionLink],
) -> Candidate:
    trials = [Trial(test=test, result=results.get((work.pk, test.id))) for test in counting]
    return Candidate(
        id=work.pk,
        label=str(work),
        title=work.title,
        author=work.author.get_username(),
        published_at=work.published_at or work.created_at,
        is_current=is_current,
        standing=work.standing,
        why_not=why,
        owner_reason=work.acceptable_reason if work.acceptable is False else "",
        through=tuple(links[name] for name in _names(work)),
        score=work.score,
        up=votes[0],
        down=votes[1],
        agent_score=work.agent_score,
        load=results.get((work.pk, None)),
        passed=tuple(trial for trial in trials if trial.verdict == PASSED),
        failed=tuple(trial for trial in trials if trial.verdict not in ("", PASSED)),
        pending=tuple(trial for trial in trials if not trial.verdict),
    )
