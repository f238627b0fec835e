"""Election rules: which candidates are eligible, their order, and the winner."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from statistics import median_low
from typing import Protocol, TypeVar


class Ranked(Protocol):
    """What the order of election depends on."""

    @property
    def id(self) -> int: ...
    @property
    def score(self) -> int: ...
    @property
    def published_at(self) -> datetime | None: ...


R = TypeVar("R", bound=Ranked)


def rank(candidate: Ranked) -> tuple[int, datetime | None, int]:
    """Return the rank in the order of election; the highest comes first.

    Everything that orders candidates uses this: elections, proposals, explanations, cascades.
    """
    return candidate.score, candidate.published_at, candidate.id


def election_order(candidates: Iterable[R]) -> list[R]:
    """Return the candidates by score, then by date of publication, highest and latest first."""
    return sorted(candidates, key=rank, reverse=True)


class Standing(StrEnum):
    """The state of an implementation after an election."""

    ELIGIBLE = "eligible"
    FAILING = "failing"
    BLOCKED = "blocked"
    CIRCULAR = "circular"
    NOT_LOADING = "not_loading"
    UNJUDGED = "unjudged"
    DUPLICATE = "duplicate"
    UNACCEPTABLE = "unacceptable"


PASSED = "passed"
# Standings that exclude an implementation regardless of its runs.
EXCLUDED = frozenset({Standing.UNACCEPTABLE, Standing.DUPLICATE, Standing.CIRCULAR})
# Standings decided by runs.
JUDGED = frozenset({Standing.ELIGIBLE, Standing.FAILING, Standing.NOT_LOADING})


@dataclass(frozen=True, slots=True)
class CellResult:
    """The result of a pair's program: a verdict, given up, or pending."""

    verdict: str = ""
    given_up: bool = False
    message: str = ""
    cpu_us: int | None = None
    culprit: str = ""  # the function at fault if a cycle does not load

    @property
    def is_pending(self) -> bool:
        return not self.verdict and not self.given_up


@dataclass(frozen=True, slots=True)
class Closure:
    """Faults of a work's dependencies; all fields are empty if there are none."""

    missing: str = ""  # name of a function that is undefined or has no elected implementation
    is_undefined: bool = False  # no function has that name
    cycle_path: tuple[str, ...] = ()  # the functions through which it depends on its own
    cycle_group: tuple[str, ...] = ()  # those elected or tried with it, through which it may

    @property
    def is_unimplemented(self) -> bool:
        """Return whether it only waits for implementations of existing functions."""
        return bool(self.missing) and not self.is_undefined and not self.cycle_path

    @property
    def missing_reason(self) -> str:
        if not self.missing:
            return ""
        return f"{self.missing} {'does not exist' if self.is_undefined else 'is not implemented'}"


@dataclass(frozen=True, slots=True)
class CandidateFacts:
    """Facts about a published implementation; `cell_results` are those of counting tests.

    `joint_results` are those of tests of functions that it is elected together with.
    """

    id: int
    score: int
    published_at: datetime
    author: int = 0
    acceptable: bool | None = None
    duplicate_of: str = ""
    closure: Closure = Closure()
    load: CellResult = CellResult()
    cell_results: Mapping[str, CellResult] = field(default_factory=dict)  # by the test's label
    joint_results: Mapping[str, CellResult] = field(default_factory=dict)
    loses_tie: bool = False  # against the current implementation, if that is eligible


@dataclass(frozen=True, slots=True)
class Candidate:
    """An implementation with its standing and the reason for it."""

    id: int
    standing: Standing
    reason: str
    passed: int
    counting: int
    is_waiting: bool  # for verdicts that its standing depends on
    loses_tie: bool = False


def judge_candidate(facts: CandidateFacts) -> Candidate:
    """Return an implementation's standing."""
    standing, reason = _exclusion(facts) or _by_runs(facts)
    needed = (facts.load, *facts.cell_results.values(), *facts.joint_results.values())
    return Candidate(
        id=facts.id,
        standing=standing,
        reason=reason,
        passed=sum(result.verdict == PASSED for result in facts.cell_results.values()),
        counting=len(facts.cell_results),
        is_waiting=standing == Standing.UNJUDGED and any(s.is_pending for s in needed),
        loses_tie=facts.loses_tie,
    )


def _exclusion(facts: CandidateFacts) -> tuple[Standing, str] | None:
    """Return a standing that doesn't depend on runs, if it has one."""
    if facts.acceptable is False:
        return Standing.UNACCEPTABLE, "the owner marked it unacceptable"
    if facts.duplicate_of:
        return Standing.DUPLICATE, f"the same code as {facts.duplicate_of}"
    if facts.closure.cycle_path:
        return Standing.CIRCULAR, f"through {' → '.join(facts.closure.cycle_path)}"
    if facts.closure.missing:
        return Standing.BLOCKED, f"blocked: {facts.closure.missing_reason}"
    return None


def _by_runs(facts: CandidateFacts) -> tuple[Standing, str]:
    if facts.load.verdict not in ("", PASSED):
        message = facts.load.message or facts.load.verdict
        if facts.load.culprit in facts.closure.cycle_group:
            return Standing.FAILING, f"{facts.load.culprit} does not load: {message}"
        return Standing.NOT_LOADING, message
    cell_results = {**facts.cell_results, **facts.joint_results}
    failing = [t for t, result in cell_results.items() if result.verdict not in ("", PASSED)]
    if failing:
        return Standing.FAILING, f"does not pass {_list(failing)}"
    needed = {"loading it": facts.load, **cell_results}
    given_up = [t for t, result in needed.items() if result.given_up and not result.verdict]
    if given_up:
        reason = f"no result of {_list(given_up)}: cancelled, or given up by our machinery"
        return Standing.UNJUDGED, reason
    if any(result.is_pending for result in needed.values()):
        return Standing.UNJUDGED, "its runs are not all done"
    return Standing.ELIGIBLE, ""


def _list(labels: Sequence[str]) -> str:
    shown = ", ".join(labels[:3])
    return f"{shown} and {len(labels) - 3} more" if len(labels) > 3 else shown


def protect_current(
    facts: Iterable[CandidateFacts], current: int | None, owner: int
) -> list[CandidateFacts]:
    """Mark newer candidates of equal score that lose against the current implementation.

    For functions that other owners import. Work by the function's owner, or by the author of the
    current implementation, is not marked.
    """
    known = list(facts)
    incumbent = next((one for one in known if one.id == current), None)
    if incumbent is None:
        return known
    return [
        replace(
            one,
            loses_tie=one.score == incumbent.score
            and rank(one) > rank(incumbent)
            and one.author not in (owner, incumbent.author),
        )
        for one in known
    ]


@dataclass(frozen=True, slots=True)
class Decision:
    """An election's decision; while `is_waiting` the last one stands."""

    elected: int | None
    is_waiting: bool
    reason: str


def elect(candidates: Sequence[Candidate], current: int | None) -> Decision:
    """Choose among candidates in election order, given the current one's id.

    Candidates that lose ties against it are skipped while it is, or may become, eligible.
    """
    incumbent = next((one for one in candidates if one.id == current), None)
    incumbent_holds = incumbent is not None and incumbent.standing in (
        Standing.ELIGIBLE,
        Standing.UNJUDGED,
    )
    for candidate in candidates:
        if candidate.loses_tie and incumbent_holds and _might_win(candidate):
            if incumbent and incumbent.is_waiting:
                return Decision(current, is_waiting=True, reason="verdicts are still to come")
            continue
        if candidate.standing == Standing.ELIGIBLE:
            return Decision(candidate.id, is_waiting=False, reason="eligible, with the most votes")
        if candidate.is_waiting:
            return Decision(current, is_waiting=True, reason="verdicts are still to come")
        if candidate.standing == Standing.UNJUDGED and candidate.id == current:
            # Runs that were given up or cancelled change nothing.
            return Decision(current, is_waiting=False, reason="it could not be judged anew")
    return _without_winner(candidates, current)


def _might_win(candidate: Candidate) -> bool:
    return candidate.standing == Standing.ELIGIBLE or candidate.is_waiting


def _without_winner(candidates: Sequence[Candidate], current: int | None) -> Decision:
    if any(candidate.standing in JUDGED for candidate in candidates):
        return Decision(None, is_waiting=False, reason="none that could be judged is eligible")
    stands = any(
        candidate.id == current and candidate.standing not in EXCLUDED for candidate in candidates
    )
    if stands:
        return Decision(current, is_waiting=False, reason="none could be judged, so it stands")
    return Decision(None, is_waiting=False, reason="there is no candidate")


def median_cpu_us(cell_results: Iterable[CellResult]) -> int | None:
    """Return the median CPU time of the runs that passed, or None."""
    times = [s.cpu_us for s in cell_results if s.verdict == PASSED and s.cpu_us is not None]
    return median_low(times) if times else None
