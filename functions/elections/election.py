"""Holds an election: applies the rules to a contest's results. Writes nothing."""

import hashlib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from functions.contests.contest import Contest, Pair
from functions.contests.rules import (
    Candidate,
    CandidateFacts,
    CellResult,
    Closure,
    Decision,
    Standing,
    elect,
    election_order,
    judge_candidate,
    median_cpu_us,
    protect_current,
)
from functions.contests.test_rules import Proof, StandingCause, TestFacts, TestStanding, judge_test
from functions.graph.nodes import Link
from functions.models import Function, Implementation, Test


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an election: all standings, and the decision."""

    candidates: Mapping[int, Candidate]
    tests: Mapping[int, TestStanding]
    cpu_us: Mapping[int, int | None]
    decision: Decision

    def postponed(self, current: int | None) -> "Outcome":
        """Return a copy whose decision waits until a dependency has been judged."""
        return replace(self, decision=Decision(current, is_waiting=True, reason="postponed"))

    def kept(self, current: int | None) -> "Outcome":
        """Return a copy that keeps the last election."""
        return replace(self, decision=Decision(current, is_waiting=False, reason="kept"))

    @property
    def has_challenges(self) -> bool:
        """Return whether a test's standing may depend on the election."""
        open_causes = (StandingCause.NONE, StandingCause.PASSED)
        return any(standing.cause in open_causes for standing in self.tests.values())

    @property
    def untested(self) -> bool:
        return not any(standing.counts for standing in self.tests.values())


def hold_election(contest: Contest, cell_results: Mapping[Pair, CellResult]) -> Outcome:
    """Apply the rules to the results known so far."""
    tests = judge_tests(contest, cell_results)
    candidates = [judge_candidate(facts) for facts in find_facts(contest, cell_results, tests)]
    return Outcome(
        candidates={candidate.id: candidate for candidate in candidates},
        tests=tests,
        cpu_us=_medians(cell_results),
        decision=_decide(contest, candidates),
    )


def _decide(contest: Contest, candidates: Sequence[Candidate]) -> Decision:
    """Choose among candidates that can be judged alone, else the one tried with others."""
    proposed = contest.proposed
    if proposed is None or not contest.closure_of(proposed).cycle_group:
        return elect(candidates, contest.function.elected_id)
    alone = [candidate for candidate in candidates if candidate.id != proposed.pk]
    decision = elect(alone, None)
    if decision.elected is not None or decision.is_waiting:
        return decision
    tried = next(candidate for candidate in candidates if candidate.id == proposed.pk)
    chosen = tried.id if tried.standing == Standing.ELIGIBLE else None
    return Decision(chosen, is_waiting=tried.is_waiting, reason="tried together with others")


def judge_tests(
    contest: Contest, cell_results: Mapping[Pair, CellResult]
) -> dict[int, TestStanding]:
    """Return the standing of each test, given the current implementation."""
    return {test.pk: judge_test(_test_facts(contest, test, cell_results)) for test in contest.tests}


def find_facts(
    contest: Contest, cell_results: Mapping[Pair, CellResult], tests: Mapping[int, TestStanding]
) -> list[CandidateFacts]:
    """Return the facts about all candidates, in election order."""
    counting = {test.pk: str(test) for test in contest.tests if tests[test.pk].counts}
    originals = contest.originals
    facts: Iterable[CandidateFacts] = [
        _candidate_facts(contest, work, cell_results, counting, originals.get(work.pk, ""))
        for work in contest.implementations
    ]
    if contest.is_imported_by_others:
        facts = protect_current(facts, contest.function.elected_id, contest.function.owner_id)
    return election_order(facts)


def _test_facts(contest: Contest, test: Test, cell_results: Mapping[Pair, CellResult]) -> TestFacts:
    """Return the facts about a test.

    While nothing is elected, a recorded proof is checked with the implementation that made it.
    """
    function, proof, cause = contest.function, proof_of(test), StandingCause(test.standing_cause)
    judged_by = function.elected_id or (proof.implementation if proof else 0)
    may_change = cause in (StandingCause.NONE, StandingCause.PASSED)
    result = cell_results.get((judged_by, test.pk), CellResult()) if may_change else CellResult()
    return TestFacts(
        score=test.score,
        acceptable=test.acceptable,
        cause=cause,
        compile_error=test.compile_error,
        closure=contest.closure_of(test),
        is_owners=test.author_id == function.owner_id,
        proof=proof,
        verdict=result.verdict,
        trial=Proof(judged_by, contest.hash_of_uses(test)) if result.verdict else None,
    )


def proof_of(test: Test) -> Proof | None:
    """Return the recorded proof of the test, if it has one."""
    if test.proven_by_id is None:
        return None
    return Proof(test.proven_by_id, bytes(test.proven_uses))


def _candidate_facts(
    contest: Contest,
    work: Implementation,
    cell_results: Mapping[Pair, CellResult],
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
        load=cell_results.get((work.pk, None), CellResult()),
        cell_results={
            label: cell_results.get((work.pk, pk), CellResult()) for pk, label in counting.items()
        },
        joint_results=_joint_results(contest, work, cell_results),
    )


def _joint_results(
    contest: Contest, work: Implementation, cell_results: Mapping[Pair, CellResult]
) -> dict[str, CellResult]:
    """Return the results of other members of the work's cycle that decide about it.

    For the chosen implementation, they are the members' own results; any other candidate has
    results with their tests.
    """
    if not contest.closure_of(work).cycle_group:
        return {}
    joint_results: dict[str, CellResult] = {}
    for other in (other for other in contest.others if other.has_choice):
        choice, is_chosen = other.choice or 0, work.pk == contest.choice
        if is_chosen:
            joint_results[f"loading {other.function.name}"] = cell_results.get(
                (choice, None), CellResult()
            )
        tests = judge_tests(other, cell_results)
        for test in other.tests:
            if tests[test.pk].counts:
                pair = (choice if is_chosen else work.pk, test.pk)
                joint_results[joint_label(other, test)] = cell_results.get(pair, CellResult())
    return joint_results


def joint_label(other: Contest, test: Test) -> str:
    """Return the label of another function's test among the function's own."""
    return f"{other.function.name} {test}"


def status_of(contest: Contest, elected: Implementation | None) -> tuple[str, str]:
    """Return the function's status with this implementation elected, and the name it lacks."""
    if elected is None:
        return Function.Status.NOT_IMPLEMENTED, ""
    missing = contest.closure_of(elected).missing
    return (Function.Status.BLOCKED if missing else Function.Status.IMPLEMENTED), missing


def function_fields(contest: Contest, outcome: Outcome) -> dict[str, Any]:
    """Return the new values of the function's own row."""
    elected = contest.find_implementation(outcome.decision.elected)
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
        "circle": list(contest.cycle),
        "closure_digest": closure_digest(contest, elected, proposed),
        "chase_id": contest.function.chase_id,
    }


def closure_digest(
    contest: Contest, elected: Implementation | None, proposed: Implementation | None
) -> bytes:
    """Return a hash of everything that dependents see of the function with this implementation.

    It covers imported code and missing names, which dependents lack too. Members of its cycle are
    included by source, as digests would recur endlessly. A proposal only matters within a cycle,
    as the function is missing for others anyway.
    """
    chosen = elected or proposed
    links = contest.links_of(chosen) if chosen else ()
    cycle_group = contest.cycle_group_of(links)
    if chosen is None or not (elected or cycle_group):
        return b""
    inside = {contest.function.pk, *(node.id for node in cycle_group)}
    own = f"{contest.function.name}\0{bytes(chosen.source_sha256).hex()}"
    lines = [own, _missing_line(contest.closure_of(chosen)), *_imported(contest, links, inside)]
    for node in cycle_group:
        lines += [f"{node.name}\0{node.sha256.hex()}", *_imported(contest, node.links, inside)]
    return hashlib.sha256("\n".join(lines).encode()).digest()


def _missing_line(closure: Closure) -> str:
    """Return what is missing, in the words that stored digests were made of."""
    if not closure.missing:
        return ""
    return f"{closure.missing}, which is {'missing' if closure.is_undefined else 'not implemented'}"


def _imported(contest: Contest, links: Iterable[Link], inside: Container[int | None]) -> list[str]:
    """Return names and digests of the functions that these links lead to, except those inside."""
    nodes = contest.nodes
    return sorted(
        f"{link.name}\0{node.digest.hex() if (node := nodes.get(link.target or 0)) else ''}"
        for link in links
        if link.target not in inside
    )


def _medians(cell_results: Mapping[Pair, CellResult]) -> dict[int, int | None]:
    """Return each implementation's median CPU time, in microseconds, over tests that it passed."""
    by_work: dict[int, list[CellResult]] = {}
    for (pk, test), result in cell_results.items():
        if test is not None:
            by_work.setdefault(pk, []).append(result)
    return {pk: median_cpu_us(each) for pk, each in by_work.items()}
