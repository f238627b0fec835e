"""The rules of election: who is eligible, who wins, in which order all stand."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from statistics import median_low


class Standing(StrEnum):
    """What an implementation's election makes of it."""

    ELIGIBLE = "eligible"
    FAILING = "failing"
    BLOCKED = "blocked"
    CIRCULAR = "circular"
    NOT_LOADING = "not_loading"
    UNJUDGED = "unjudged"
    DUPLICATE = "duplicate"
    UNACCEPTABLE = "unacceptable"


PASSED = "passed"
# Standings of those who are no candidates, whatever their runs say.
OUT_OF_THE_RACE = frozenset({Standing.UNACCEPTABLE, Standing.DUPLICATE, Standing.CIRCULAR})
# Standings that a run has decided.
JUDGED = frozenset({Standing.ELIGIBLE, Standing.FAILING, Standing.NOT_LOADING})


@dataclass(frozen=True, slots=True)
class Square:
    """What the program of a pair has come to by now: a verdict, none ever, or still to come."""

    verdict: str = ""
    given_up: bool = False
    message: str = ""
    cpu_us: int | None = None
    culprit: str = ""  # of a circle that does not load: the function whose module is at fault

    @property
    def is_pending(self) -> bool:
        return not self.verdict and not self.given_up


@dataclass(frozen=True, slots=True)
class Closure:
    """Whether everything that a work needs is there; all empty if so."""

    lacking: str = ""  # the name of a function that is missing or has no elected implementation
    is_missing: bool = False  # there is no function of that name
    round_trip: tuple[str, ...] = ()  # the functions through which it leads back to its own
    company: tuple[str, ...] = ()  # those that it may lead back through: elected or tried with it

    @property
    def is_unimplemented(self) -> bool:
        """Tell whether functions that are not implemented are all that keeps it from being run."""
        return bool(self.lacking) and not self.is_missing and not self.round_trip

    @property
    def complaint(self) -> str:
        if not self.lacking:
            return ""
        return f"{self.lacking}, which is {'missing' if self.is_missing else 'not implemented'}"


@dataclass(frozen=True, slots=True)
class CandidateFacts:
    """What is known about a published implementation; `squares` are those of counting tests.

    `joint` are those of the tests of functions that it is elected together with.
    """

    id: int
    score: int
    published_at: datetime
    author: int = 0
    acceptable: bool | None = None
    duplicate_of: str = ""
    closure: Closure = Closure()
    load: Square = Square()
    squares: Mapping[str, Square] = field(default_factory=dict)  # by the test's label
    joint: Mapping[str, Square] = field(default_factory=dict)
    is_held_off: bool = False  # the elected one, if it is eligible, doesn't yield to it

    @property
    def rank(self) -> tuple[int, datetime, int]:
        return (self.score, self.published_at, self.id)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An implementation with its standing, and why it has it."""

    id: int
    standing: Standing
    reason: str
    passed: int
    counting: int
    is_waiting: bool  # a verdict that decides it is still to come
    is_held_off: bool = False


def judge_candidate(facts: CandidateFacts) -> Candidate:
    """Tell how an implementation stands."""
    standing, reason = _outside(facts) or _by_runs(facts)
    needed = (facts.load, *facts.squares.values(), *facts.joint.values())
    return Candidate(
        id=facts.id,
        standing=standing,
        reason=reason,
        passed=sum(square.verdict == PASSED for square in facts.squares.values()),
        counting=len(facts.squares),
        is_waiting=standing == Standing.UNJUDGED and any(s.is_pending for s in needed),
        is_held_off=facts.is_held_off,
    )


def _outside(facts: CandidateFacts) -> tuple[Standing, str] | None:
    """Return what keeps it from being judged by its runs, if anything."""
    if facts.acceptable is False:
        return Standing.UNACCEPTABLE, "the owner marked it unacceptable"
    if facts.duplicate_of:
        return Standing.DUPLICATE, f"the same code as {facts.duplicate_of}"
    if facts.closure.round_trip:
        return Standing.CIRCULAR, f"through {' → '.join(facts.closure.round_trip)}"
    if facts.closure.lacking:
        return Standing.BLOCKED, f"blocked by {facts.closure.complaint}"
    return None


def _by_runs(facts: CandidateFacts) -> tuple[Standing, str]:
    if facts.load.verdict not in ("", PASSED):
        said = facts.load.message or facts.load.verdict
        if facts.load.culprit in facts.closure.company:
            return Standing.FAILING, f"{facts.load.culprit} does not load: {said}"
        return Standing.NOT_LOADING, said
    squares = {**facts.squares, **facts.joint}
    failing = [t for t, square in squares.items() if square.verdict not in ("", PASSED)]
    if failing:
        return Standing.FAILING, f"does not pass {_list(failing)}"
    needed = {"loading it": facts.load, **squares}
    given_up = [t for t, square in needed.items() if square.given_up and not square.verdict]
    if given_up:
        reason = f"no result of {_list(given_up)}: cancelled, or given up by our machinery"
        return Standing.UNJUDGED, reason
    if any(square.is_pending for square in needed.values()):
        return Standing.UNJUDGED, "its runs are not all done"
    return Standing.ELIGIBLE, ""


def _list(labels: Sequence[str]) -> str:
    shown = ", ".join(labels[:3])
    return f"{shown} and {len(labels) - 3} more" if len(labels) > 3 else shown


def election_order(facts: Iterable[CandidateFacts]) -> list[CandidateFacts]:
    """Sort by who wins if eligible: the higher score, then the one published last."""
    return sorted(facts, key=lambda candidate: candidate.rank, reverse=True)


def hold_off_equals(
    facts: Iterable[CandidateFacts], current: int | None, owner: int
) -> list[CandidateFacts]:
    """Mark the newer equals that the elected one doesn't yield to, as other owners import it.

    It yields to a higher score, and to work by the function's owner or by its own author.
    """
    known = list(facts)
    holder = next((one for one in known if one.id == current), None)
    if holder is None:
        return known
    return [
        replace(
            one,
            is_held_off=one.score == holder.score
            and one.rank > holder.rank
            and one.author not in (owner, holder.author),
        )
        for one in known
    ]


@dataclass(frozen=True, slots=True)
class Decision:
    """An election's outcome; while `is_waiting` the last one stands."""

    elected: int | None
    is_waiting: bool
    reason: str


def elect(candidates: Sequence[Candidate], current: int | None) -> Decision:
    """Choose among candidates in election order, given the one elected last.

    Those that it holds off are passed over while it is, or may be, eligible.
    """
    holder = next((one for one in candidates if one.id == current), None)
    holds = holder is not None and holder.standing in (Standing.ELIGIBLE, Standing.UNJUDGED)
    for candidate in candidates:
        if candidate.is_held_off and holds and _might_win(candidate):
            if holder and holder.is_waiting:
                return Decision(current, is_waiting=True, reason="verdicts are still to come")
            continue
        if candidate.standing == Standing.ELIGIBLE:
            return Decision(candidate.id, is_waiting=False, reason="eligible, with the most votes")
        if candidate.is_waiting:
            return Decision(current, is_waiting=True, reason="verdicts are still to come")
        if candidate.standing == Standing.UNJUDGED and candidate.id == current:
            # What was given up or cancelled neither elects nor unseats.
            return Decision(current, is_waiting=False, reason="it could not be judged anew")
    return _without_winner(candidates, current)


def _might_win(candidate: Candidate) -> bool:
    return candidate.standing == Standing.ELIGIBLE or candidate.is_waiting


def _without_winner(candidates: Sequence[Candidate], current: int | None) -> Decision:
    if any(candidate.standing in JUDGED for candidate in candidates):
        return Decision(None, is_waiting=False, reason="none that could be judged is eligible")
    stands = any(
        candidate.id == current and candidate.standing not in OUT_OF_THE_RACE
        for candidate in candidates
    )
    if stands:
        return Decision(current, is_waiting=False, reason="none could be judged, so it stands")
    return Decision(None, is_waiting=False, reason="there is no candidate")


def median_cpu_us(squares: Iterable[Square]) -> int | None:
    """Return the median CPU time of the runs that passed, or None."""
    times = [s.cpu_us for s in squares if s.verdict == PASSED and s.cpu_us is not None]
    return median_low(times) if times else None
