"""What an election finds, by the rules, in what is known about a function; writes nothing."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from functions.contests import Contest, Pair
from functions.models import Function, Implementation, Test
from functions.ranking import (
    Candidate,
    CandidateFacts,
    Decision,
    Square,
    TestFacts,
    TestStanding,
    elect,
    election_order,
    judge_candidate,
    judge_test,
    median_cpu_us,
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an election finds: all standings, and the decision."""

    candidates: Mapping[int, Candidate]
    tests: Mapping[int, TestStanding]
    cpu_us: Mapping[int, int | None]
    decision: Decision

    def postponed(self, current: int | None) -> "Outcome":
        """Return the same with the decision left to when a dependency has been judged."""
        return replace(self, decision=Decision(current, is_waiting=True, reason="postponed"))

    def kept(self, current: int | None) -> "Outcome":
        """Return the same with the last election left as it is."""
        return replace(self, decision=Decision(current, is_waiting=False, reason="kept"))

    @property
    def untested(self) -> bool:
        return not any(standing.counts for standing in self.tests.values())


def hold_election(contest: Contest, squares: Mapping[Pair, Square]) -> Outcome:
    """Apply the rules to what is known."""
    tests = judge_tests(contest)
    candidates = [judge_candidate(facts) for facts in find_facts(contest, squares, tests)]
    return Outcome(
        candidates={candidate.id: candidate for candidate in candidates},
        tests=tests,
        cpu_us=_medians(squares),
        decision=elect(candidates, contest.function.elected_id),
    )


def judge_tests(contest: Contest) -> dict[int, TestStanding]:
    """Tell of each test whether it counts."""
    return {test.pk: judge_test(_test_facts(contest, test)) for test in contest.tests}


def find_facts(
    contest: Contest, squares: Mapping[Pair, Square], tests: Mapping[int, TestStanding]
) -> list[CandidateFacts]:
    """Return what is known about all candidates, in election order."""
    counting = {test.pk: str(test) for test in contest.tests if tests[test.pk].counts}
    originals = _originals(contest.implementations)
    return election_order(
        _candidate_facts(contest, work, squares, counting, originals.get(work.pk, ""))
        for work in contest.implementations
    )


def _test_facts(contest: Contest, test: Test) -> TestFacts:
    return TestFacts(
        score=test.score,
        acceptable=test.acceptable,
        compile_error=test.compile_error,
        closure=contest.closure_of(test),
    )


def _candidate_facts(
    contest: Contest,
    work: Implementation,
    squares: Mapping[Pair, Square],
    counting: Mapping[int, str],
    duplicate_of: str,
) -> CandidateFacts:
    return CandidateFacts(
        id=work.pk,
        score=work.score,
        published_at=work.published_at or work.created_at,
        acceptable=work.acceptable,
        duplicate_of=duplicate_of,
        closure=contest.closure_of(work),
        load=squares.get((work.pk, None), Square()),
        squares={label: squares.get((work.pk, pk), Square()) for pk, label in counting.items()},
    )


def status_of(contest: Contest, elected: Implementation | None) -> tuple[str, str]:
    """Return the function's status with this implementation elected, and what blocks it."""
    if elected is None:
        return Function.Status.NOT_IMPLEMENTED, ""
    lacking = contest.closure_of(elected).lacking
    return (Function.Status.BLOCKED if lacking else Function.Status.IMPLEMENTED), lacking


def closure_digest(contest: Contest, elected: Implementation | None) -> bytes:
    """Return the hash of all that dependents see of the function with this one elected.

    That is what they import, and what it lacks: whoever depends on it lacks that too.
    """
    if elected is None:
        return b""
    own = f"{contest.function.name}\0{bytes(elected.source_sha256).hex()}"
    imported = sorted(
        f"{link.name}\0{node.digest.hex() if (node := contest.nodes.get(link.target or 0)) else ''}"
        for link in contest.links_of(elected)
    )
    lacking = contest.closure_of(elected).complaint
    return hashlib.sha256("\n".join([own, lacking, *imported]).encode()).digest()


def _originals(implementations: Sequence[Implementation]) -> dict[int, str]:
    """Return for each copy of an older source what it is a copy of."""
    first: dict[bytes, Implementation] = {}
    copies: dict[int, str] = {}
    for work in sorted(implementations, key=lambda work: (work.published_at, work.pk)):
        original = first.setdefault(bytes(work.source_sha256), work)
        if original is not work:
            copies[work.pk] = str(original)
    return copies


def _medians(squares: Mapping[Pair, Square]) -> dict[int, int | None]:
    """Return each implementation's median CPU time over all tests that it passed."""
    of_work: dict[int, list[Square]] = {}
    for (pk, test), square in squares.items():
        if test is not None:
            of_work.setdefault(pk, []).append(square)
    return {pk: median_cpu_us(each) for pk, each in of_work.items()}
