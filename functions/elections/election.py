"""What an election finds, by the rules, in what is known about a function; writes nothing."""

import hashlib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from functions.contests.contest import Contest, Pair
from functions.contests.rules import (
    Candidate,
    CandidateFacts,
    Decision,
    Square,
    Standing,
    elect,
    election_order,
    hold_off_equals,
    judge_candidate,
    median_cpu_us,
)
from functions.contests.test_rules import Proof, StandingCause, TestFacts, TestStanding, judge_test
from functions.graph.nodes import Link
from functions.models import Function, Implementation, Test


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
    def has_challenges(self) -> bool:
        """Tell whether a test's standing may depend on who is elected."""
        open_causes = (StandingCause.NONE, StandingCause.PASSED)
        return any(standing.cause in open_causes for standing in self.tests.values())

    @property
    def untested(self) -> bool:
        return not any(standing.counts for standing in self.tests.values())


def hold_election(contest: Contest, squares: Mapping[Pair, Square]) -> Outcome:
    """Apply the rules to what is known."""
    tests = judge_tests(contest, squares)
    candidates = [judge_candidate(facts) for facts in find_facts(contest, squares, tests)]
    return Outcome(
        candidates={candidate.id: candidate for candidate in candidates},
        tests=tests,
        cpu_us=_medians(squares),
        decision=_decide(contest, candidates),
    )


def _decide(contest: Contest, candidates: Sequence[Candidate]) -> Decision:
    """Choose among those that can be judged alone; if there is none, try it with others."""
    proposed = contest.proposed
    if proposed is None or not contest.closure_of(proposed).company:
        return elect(candidates, contest.function.elected_id)
    alone = [candidate for candidate in candidates if candidate.id != proposed.pk]
    decision = elect(alone, None)
    if decision.elected is not None or decision.is_waiting:
        return decision
    tried = next(candidate for candidate in candidates if candidate.id == proposed.pk)
    chosen = tried.id if tried.standing == Standing.ELIGIBLE else None
    return Decision(chosen, is_waiting=tried.is_waiting, reason="tried together with others")


def judge_tests(contest: Contest, squares: Mapping[Pair, Square]) -> dict[int, TestStanding]:
    """Tell of each test whether it counts, given what is elected as yet."""
    return {test.pk: judge_test(_test_facts(contest, test, squares)) for test in contest.tests}


def find_facts(
    contest: Contest, squares: Mapping[Pair, Square], tests: Mapping[int, TestStanding]
) -> list[CandidateFacts]:
    """Return what is known about all candidates, in election order."""
    counting = {test.pk: str(test) for test in contest.tests if tests[test.pk].counts}
    originals = contest.originals
    facts: Iterable[CandidateFacts] = [
        _candidate_facts(contest, work, squares, counting, originals.get(work.pk, ""))
        for work in contest.implementations
    ]
    if contest.is_imported_by_others:
        facts = hold_off_equals(facts, contest.function.elected_id, contest.function.owner_id)
    return election_order(facts)


def _test_facts(contest: Contest, test: Test, squares: Mapping[Pair, Square]) -> TestFacts:
    """Return what is known about a test.

    What was passed once is looked at with the last one elected, where none is for a while.
    """
    function, proof, cause = contest.function, proof_of(test), StandingCause(test.standing_cause)
    judged_by = function.elected_id or (proof.implementation if proof else 0)
    may_change = cause in (StandingCause.NONE, StandingCause.PASSED)
    square = squares.get((judged_by, test.pk), Square()) if may_change else Square()
    return TestFacts(
        score=test.score,
        acceptable=test.acceptable,
        cause=cause,
        compile_error=test.compile_error,
        closure=contest.closure_of(test),
        is_owners=test.author_id == function.owner_id,
        proof=proof,
        verdict=square.verdict,
        trial=Proof(judged_by, contest.hash_of_uses(test)) if square.verdict else None,
    )


def proof_of(test: Test) -> Proof | None:
    """Return by what the test was passed, if its standing rests on that."""
    if test.proven_by_id is None:
        return None
    return Proof(test.proven_by_id, bytes(test.proven_uses))


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
        author=work.author_id,
        acceptable=work.acceptable,
        duplicate_of=duplicate_of,
        closure=contest.closure_of(work),
        load=squares.get((work.pk, None), Square()),
        squares={label: squares.get((work.pk, pk), Square()) for pk, label in counting.items()},
        joint=_joint_squares(contest, work, squares),
    )


def _joint_squares(
    contest: Contest, work: Implementation, squares: Mapping[Pair, Square]
) -> dict[str, Square]:
    """Return what decides in the other functions that the work goes round with.

    Of the one chosen here that is what theirs have come to; any other has squares with their tests.
    """
    if not contest.closure_of(work).company:
        return {}
    joint: dict[str, Square] = {}
    for other in (other for other in contest.others if other.has_choice):
        choice, is_chosen = other.choice or 0, work.pk == contest.choice
        if is_chosen:
            joint[f"loading {other.function.name}"] = squares.get((choice, None), Square())
        tests = judge_tests(other, squares)
        for test in other.tests:
            if tests[test.pk].counts:
                pair = (choice if is_chosen else work.pk, test.pk)
                joint[joint_label(other, test)] = squares.get(pair, Square())
    return joint


def joint_label(other: Contest, test: Test) -> str:
    """Return what another function's test is called where it decides as well as one's own."""
    return f"{other.function.name} {test}"


def status_of(contest: Contest, elected: Implementation | None) -> tuple[str, str]:
    """Return the function's status with this implementation elected, and what blocks it."""
    if elected is None:
        return Function.Status.NOT_IMPLEMENTED, ""
    lacking = contest.closure_of(elected).lacking
    return (Function.Status.BLOCKED if lacking else Function.Status.IMPLEMENTED), lacking


def standing(contest: Contest, outcome: Outcome) -> dict[str, Any]:
    """Return what the function's own row says after this."""
    elected = contest.find(outcome.decision.elected)
    proposed = None if elected else contest.proposed
    status, blocked_by = status_of(contest, elected)
    return {
        "elected_id": outcome.decision.elected,
        "status": status,
        "blocked_by": blocked_by,
        "untested": outcome.untested,
        "judging": outcome.decision.is_waiting,
        "proposed_id": proposed.pk if proposed else None,
        "gave_way": None if elected else contest.function.gave_way,
        "circle": list(contest.circle),
        "closure_digest": closure_digest(contest, elected, proposed),
        "chase_id": contest.function.chase_id,
    }


def closure_digest(
    contest: Contest, elected: Implementation | None, proposed: Implementation | None
) -> bytes:
    """Return the hash of all that dependents see of the function with this elected, or proposed.

    That is what they import, and what it lacks: whoever depends on it lacks that too. Those that
    it goes round with are in it as they are: their hashes would have no end. Of what is only
    proposed nobody else sees more than that it is: they lack the function itself.
    """
    chosen = elected or proposed
    links = contest.links_of(chosen) if chosen else ()
    company = contest.company_of(links)
    if chosen is None or not (elected or company):
        return b""
    inside = {contest.function.pk, *(node.id for node in company)}
    own = f"{contest.function.name}\0{bytes(chosen.source_sha256).hex()}"
    lines = [own, contest.closure_of(chosen).complaint, *_imported(contest, links, inside)]
    for node in company:
        lines += [f"{node.name}\0{node.sha256.hex()}", *_imported(contest, node.links, inside)]
    return hashlib.sha256("\n".join(lines).encode()).digest()


def _imported(contest: Contest, links: Iterable[Link], inside: Container[int | None]) -> list[str]:
    """Return what these names bring, apart from those inside."""
    nodes = contest.nodes
    return sorted(
        f"{link.name}\0{node.digest.hex() if (node := nodes.get(link.target or 0)) else ''}"
        for link in links
        if link.target not in inside
    )


def _medians(squares: Mapping[Pair, Square]) -> dict[int, int | None]:
    """Return each implementation's median CPU time over all tests that it passed."""
    of_work: dict[int, list[Square]] = {}
    for (pk, test), square in squares.items():
        if test is not None:
            of_work.setdefault(pk, []).append(square)
    return {pk: median_cpu_us(each) for pk, each in of_work.items()}
