"""Rules for tests: which are reliable, which have standing, and which count."""

from dataclasses import dataclass, field
from enum import StrEnum

from functions.contests.rules import PASSED, Closure

FLAKY = "flaky"  # two runs disagreed
# The score at which a challenge gains standing: one vote, as authors can't vote on their works.
STANDING_SCORE = 1


class Health(StrEnum):
    """The reliability of a test."""

    WORKING = "working"
    BROKEN = "broken"
    CIRCULAR = "circular"


class StandingCause(StrEnum):
    """The reason for a test's standing; a published test without standing is a challenge."""

    NONE = ""
    OWNER = "owner"  # its author owns the function, or did when it was published
    EARLY = "early"  # it was published before the function's first election
    ACCEPTED = "accepted"
    VOTED = "voted"
    PASSED = "passed"  # an elected implementation passed it: the only cause that may lapse
    UPGRADE = "upgrade"  # it counted before there were challenges


@dataclass(frozen=True, slots=True)
class Proof:
    """Proof that an elected implementation passed a test; `uses` hashes the test's own uses."""

    implementation: int
    uses: bytes


@dataclass(frozen=True, slots=True)
class TestFacts:
    """Facts about a published test.

    `cause` and `proof` are its recorded standing; `verdict` is that of the elected implementation
    now, and `trial` the proof that a pass would make.
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
    """The outcome for a test: its health, whether it counts, and the cause of its standing."""

    __test__ = False  # pytest: not a test class

    health: Health
    reason: str
    counts: bool
    cause: StandingCause
    proof: Proof | None = None


def judge_test(facts: TestFacts) -> TestStanding:
    """Return a published test's health and standing, and whether it counts."""
    health, reason = _health(facts)
    cause = find_cause(facts)
    # The owner decides; otherwise the votes do.
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
    if facts.closure.missing:  # checked before circular tests, which can be run
        return Health.BROKEN, facts.closure.missing_reason
    if facts.closure.cycle_path:
        return Health.CIRCULAR, f"leads back here through {' → '.join(facts.closure.cycle_path)}"
    return Health.WORKING, ""


def find_cause(facts: TestFacts) -> StandingCause:
    """Return the cause of the test's standing now; NONE if it is a challenge.

    Standing is permanent unless a pass is its only cause. That lapses when the elected
    implementation fails because the test's own dependencies have changed, or is flaky.
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
