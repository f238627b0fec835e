"""The rules of tests: which of them can be relied on, which have standing, which count."""

from dataclasses import dataclass, field
from enum import StrEnum

from functions.contests.rules import PASSED, Closure

FLAKY = "flaky"  # two runs disagreed
# A challenge with this score has standing: one person beside its author is for it.
STANDING_SCORE = 1


class Health(StrEnum):
    """Whether a test can be relied on."""

    WORKING = "working"
    BROKEN = "broken"
    CIRCULAR = "circular"


class StandingCause(StrEnum):
    """What gave a test standing; a published test without any is a challenge."""

    NONE = ""
    OWNER = "owner"  # its author owns the function, or did when it was published
    EARLY = "early"  # it was published before the function's first election
    ACCEPTED = "accepted"
    VOTED = "voted"
    PASSED = "passed"  # an elected implementation passed it: the only one that may end
    UPGRADE = "upgrade"  # it counted before there were challenges


@dataclass(frozen=True, slots=True)
class Proof:
    """That an elected implementation passed a test; `uses` is a hash of what the test used then."""

    implementation: int
    uses: bytes


@dataclass(frozen=True, slots=True)
class TestFacts:
    """What is known about a published test.

    `cause` and `proof` are what gave it standing, as recorded; `verdict` is that of the elected
    implementation now, and `trial` the proof that it makes if that is passed.
    """

    __test__ = False  # pytest: not a test class

    score: int
    acceptable: bool | None
    cause: StandingCause
    compile_error: str = ""
    closure: Closure = field(default_factory=Closure)
    is_owners: bool = False
    proof: Proof | None = None
    verdict: str = ""  # empty while it is pending or blocked
    trial: Proof | None = None


@dataclass(frozen=True, slots=True)
class TestStanding:
    """What follows for the test: whether it decides anything, and what its standing rests on."""

    __test__ = False  # pytest: not a test class

    health: Health
    reason: str
    counts: bool
    cause: StandingCause
    proof: Proof | None = None


def judge_test(facts: TestFacts) -> TestStanding:
    """Tell whether a published test counts, and if it can't be relied on, why."""
    health, reason = _health(facts)
    cause = find_cause(facts)
    # The owner has the last word; without it voters have theirs.
    accepted = facts.score >= 0 if facts.acceptable is None else facts.acceptable
    return TestStanding(
        health,
        reason,
        counts=health == Health.WORKING and accepted and cause != StandingCause.NONE,
        cause=cause,
        proof=_proof(facts) if cause == StandingCause.PASSED else None,
    )


def _health(facts: TestFacts) -> tuple[Health, str]:
    if facts.compile_error:
        return Health.BROKEN, facts.compile_error
    if facts.closure.lacking:  # a circular one is run and shown, and this can't be run
        return Health.BROKEN, f"relies on {facts.closure.complaint}"
    if facts.closure.round_trip:
        return Health.CIRCULAR, f"leads back here through {' → '.join(facts.closure.round_trip)}"
    return Health.WORKING, ""


def find_cause(facts: TestFacts) -> StandingCause:
    """Return what the test's standing rests on now; of none, it is a challenge.

    Standing once gained stays, apart from what rests on nothing but a pass: that ends when the
    elected implementation no longer passes since the test itself uses something else, or is flaky.
    """
    if facts.cause not in (StandingCause.NONE, StandingCause.PASSED):
        return facts.cause
    if facts.is_owners:
        return StandingCause.OWNER
    if facts.acceptable:
        return StandingCause.ACCEPTED
    if facts.score >= STANDING_SCORE:
        return StandingCause.VOTED
    if facts.verdict == PASSED:
        return StandingCause.PASSED
    return (
        StandingCause.NONE
        if facts.cause == StandingCause.NONE or _has_lapsed(facts)
        else StandingCause.PASSED
    )


def _has_lapsed(facts: TestFacts) -> bool:
    if facts.verdict in ("", PASSED):
        return False
    former, now = facts.proof, facts.trial
    return facts.verdict == FLAKY or (former and former.uses) != (now and now.uses)


def _proof(facts: TestFacts) -> Proof | None:
    return facts.trial if facts.verdict == PASSED else facts.proof
