"""Checks stored standings, tallies and views against the rules and their sources."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Coalesce

from functions.contests.acceptance_programs import program_of
from functions.contests.carryover import find_provisional, former_versions, is_provisional
from functions.contests.cells import find_culprits, load_cells, load_results
from functions.contests.contest import Contest
from functions.contests.evaluation import RECONCILE, all_pairs
from functions.contests.loader import load_contests
from functions.contests.programs import ProgramBuilder
from functions.document_views.verification import find_wrong_views
from functions.elections.acceptance_review import REVIEW
from functions.elections.cycles import apply_decisions, find_who_gives_way, merge_decisions
from functions.elections.election import Outcome, function_fields, hold_election
from functions.elections.oscillation import basis_of
from functions.graph.algorithms import find_components
from functions.graph.nodes import find_cycle_groups, read_nodes
from functions.graph.queries import living_functions
from functions.graph.usage import count_usage
from functions.kinds import KINDS
from functions.maintenance.denormalised import find_wrong_denormalised
from functions.models import (
    AcceptanceTest,
    AgentLabel,
    Chase,
    Comment,
    Function,
    Implementation,
    Test,
)
from functions.read_models.snapshot import snapshot
from functions.voting.agent_votes import find_wrong_votes
from functions.voting.votables import VOTABLES
from runner.models import FollowUp
from runner.pipelines.sequences import pending_differences

AT_ONCE = 500


def find_differences() -> Iterator[str]:
    """Yield a sentence for every inconsistency, in one snapshot.

    Functions with a pending election are left out.
    """
    with snapshot():
        yield from find_wrong_tallies()
        yield from find_wrong_threads()
        yield from find_stale_acceptance()
        yield from _find_wrong_usage()
        yield from find_wrong_cycles()
        yield from find_wrong_denormalised()
        yield from find_wrong_chases()
        yield from find_wrong_views()
        due = set(FollowUp.objects.filter(name=RECONCILE).values_list("target", flat=True))
        living = list(Function.objects.filter(deleted_at=None).order_by("id"))
        yield from _find_wrong_of_kinds(living, due)
        cycle_groups = find_cycle_groups(living)
        for function in living:
            cycle_group = cycle_groups[function.pk]
            if not due & set(map(str, cycle_group)):
                yield from _wrong_standings(function, cycle_group)


def _find_wrong_of_kinds(living: Iterable[Function], due: Collection[str]) -> Iterator[str]:
    """Yield what kinds keep of functions without a pending election, and keep wrong."""
    judged = [one for one in living if not one.judging and str(one.pk) not in due]
    for name, kind in KINDS.items():
        ids = [one.pk for one in judged if one.kind == name]
        for start in range(0, len(ids), AT_ONCE):
            yield from kind.find_differences(ids[start : start + AT_ONCE])


def find_wrong_tallies() -> Iterator[str]:
    """Yield items whose scores, with the votes not tallied yet, differ from the sums of votes.

    And votes that are in the wrong one of both, except of labels that are not settled.
    """
    for votable in VOTABLES.values():
        for column, view, apart in (
            ("score", votable.view_name, False),
            ("agent_score", votable.agent_view_name, True),
        ):
            pending = pending_differences(view)
            votes = Coalesce(Sum("votes__value", filter=Q(votes__apart=apart)), 0)
            rows: Any = votable.model.objects.annotate(votes_sum=votes).select_related("function")
            right = Q(votes_sum=F(column)) & ~Q(pk__in=pending)
            for work in rows.exclude(right).order_by("pk"):
                score = getattr(work, column) + pending.get(work.pk, 0)
                if score != work.votes_sum:
                    yield (
                        f"{work.function} {work.noun} {work}: {column} is {score}, "
                        f"its votes sum to {work.votes_sum}"
                    )
    unsettled = set(AgentLabel.objects.filter(settled_at=None).values_list("pk", flat=True))
    after = 0
    while wrong := find_wrong_votes(after):
        for vote in wrong:
            if vote.person_id not in unsettled:
                expected = "apart" if vote.apart else "with all others"
                yield f"vote {vote.id} of account {vote.voter_id}: is to be counted {expected}"
        after = wrong[-1].id


def find_wrong_threads() -> Iterator[str]:
    """Yield threads with a wrong number of replies, and replies on another item."""
    standing = Count("answers", filter=Q(answers__deleted_at=None))
    threads = Comment.objects.annotate(standing=standing).select_related("function")
    for thread in threads.exclude(standing=F("replies")).order_by("pk"):
        yield (
            f"{thread.function} comment {thread}: replies is {thread.replies}, "
            f"expected {thread.standing}"
        )
    same = Q(parent__function=F("function"), parent__parent=None)
    for noun in ("implementation", "test"):
        nothing = Q(**{noun: None, f"parent__{noun}": None})
        same &= nothing | Q(**{f"parent__{noun}": F(noun)})
    replies = Comment.objects.exclude(parent=None).select_related("function")
    for reply in replies.exclude(same).order_by("pk"):
        yield f"{reply.function} comment {reply}: is on another item than its thread"


def find_wrong_cycles() -> Iterator[str]:
    """Yield functions whose stored cycle differs from the one that elected implementations make."""
    due = set(FollowUp.objects.filter(name=RECONCILE).values_list("target", flat=True))
    living = Function.objects.filter(deleted_at=None).order_by("id")
    nodes = read_nodes(set(living.values_list("id", flat=True)))
    elected = {pk: node for pk, node in nodes.items() if node.elected}
    edges = {
        pk: [link.target for link in node.links if link.target in elected and link.target]
        for pk, node in elected.items()
    }
    for component in find_components(edges, edges.__getitem__):
        names = tuple(sorted(elected[pk].name for pk in component)) if component[1:] else ()
        for pk in component:
            if elected[pk].cycle != names and str(pk) not in due:
                stored, expected = (
                    " and ".join(each) or "none" for each in (nodes[pk].cycle, names)
                )
                yield f"{nodes[pk].name}: its cycle is {stored}, expected {expected}"


def find_wrong_chases() -> Iterator[str]:
    """Yield chases that differ from their functions, or whose functions' works have changed."""
    due = set(FollowUp.objects.filter(name=RECONCILE).values_list("target", flat=True))
    for chase in Chase.objects.order_by("pk"):
        living = list(chase.functions.filter(deleted_at=None).order_by("id"))
        if due & {str(function.pk) for function in living}:
            continue
        names = sorted(function.name for function in living)
        if names != sorted(chase.names):
            actual = " and ".join(names) or "nothing"
            yield f"{chase}: unsettled together, but the functions are {actual}"
        for contest in (each for [each] in load_contests([[each] for each in living])):
            if basis_of(contest).hex() != chase.bases.get(f"{contest.function.pk}"):
                yield f"{contest.function}: its works have changed since it became unsettled"
            if (work := contest.elected) is not None and work not in contest.implementations:
                yield f"{contest.function}: unsettled with {work}, which is not a candidate"


def find_stale_acceptance() -> Iterator[str]:
    """Yield acceptance tests with a stale program or verdict, except those to be reviewed."""
    due = set(
        FollowUp.objects.filter(name__in=(RECONCILE, REVIEW)).values_list("target", flat=True)
    )
    tests = AcceptanceTest.objects.filter(
        state=AcceptanceTest.State.PUBLISHED, function__deleted_at=None
    )
    for test in tests.select_related("function", "target").order_by("pk"):
        is_due = due & {str(test.function_id), str(test.target_id)}
        if is_due or due & _ids_of(test.names):
            continue
        program, asleep = program_of(test)
        label = f"{test.function} acceptance test {test}"
        former = bytes(test.key or b"")
        is_stale = (former, test.asleep) != (program.key if program else b"", asleep)
        if is_stale and not (program and is_provisional(program, former)):
            yield f"{label}: its program is outdated"
        known = load_results([program.key]).get(program.key) if program else None
        if known and test.verdict != known.verdict:
            yield f"{label}: verdict is {test.verdict!r}, expected {known.verdict!r}"


def _ids_of(names: Iterable[str]) -> set[str]:
    return {str(function.pk) for function in living_functions(names).values()}


def _find_wrong_usage() -> Iterator[str]:
    used = count_usage()
    for function in Function.objects.filter(deleted_at=None).select_related("usage").order_by("id"):
        stored = getattr(function, "usage", None)
        if stored is None or stored.dependents != used[function.pk]:
            count = "nothing" if stored is None else stored.dependents
            yield f"{function}: dependents is {count}, {used[function.pk]} functions name it"


def _wrong_standings(function: Function, cycle_group: Collection[int]) -> Iterator[str]:
    [contests] = load_contests([Function.objects.filter(pk__in=cycle_group).order_by("id")])
    contest = next(contest for contest in contests if contest.function == function)
    cells = load_cells(contests)
    keys = ProgramBuilder(contest).keys(all_pairs(contest))
    others = [pair for pair in keys if pair not in cells or cells[pair].key != (keys[pair] or b"")]
    carried = find_provisional(contest, cells, others, former_versions())
    for pair in others:
        if pair not in carried:
            yield f"{function}: the program of cell {pair} is outdated"
    own = {work.pk for work in contest.implementations}
    present = {
        pair: cell.result for pair, cell in cells.items() if pair in keys or pair[0] not in own
    }
    cell_results = find_culprits(contests, present)
    outcomes = merge_decisions(
        contests, {each.function.pk: hold_election(each, cell_results) for each in contests}
    )
    if function.chase_id:
        current = {each.function.pk: each.function.elected_id for each in contests}
        outcomes = {pk: one.kept(current[pk]) for pk, one in outcomes.items()}
    outcome = outcomes[function.pk]
    found = find_who_gives_way(contests, outcomes)
    if found and found[0].function == function:
        yield f"{function}: its next candidate within a cycle is not proposed"
    yield from _wrong_works(contest, outcome)
    # The start of judging isn't published: without a pending election, nothing changes.
    is_deferred = function.judging and any(each.awaits_dependency() for each in contests)
    apply_decisions(contests, outcomes)
    for name, expected in _expected(contest, outcome, is_deferred=is_deferred).items():
        yield from _compare(f"{function}", contest.function, name, expected)


def _expected(contest: Contest, outcome: Outcome, *, is_deferred: bool) -> dict[str, Any]:
    if is_deferred or outcome.decision.is_waiting:
        return {"judging": True, "untested": outcome.untested}
    return function_fields(contest, outcome)


def _wrong_works(contest: Contest, outcome: Outcome) -> Iterator[str]:
    for work in contest.implementations:
        candidate = outcome.candidates[work.pk]
        label = f"{contest.function} {work}"
        yield from _compare(label, work, "standing", candidate.standing.value)
        yield from _compare(label, work, "standing_reason", candidate.reason[:200])
        yield from _compare(label, work, "passed", candidate.passed)
        yield from _compare(label, work, "counting", candidate.counting)
        yield from _compare(label, work, "cpu_us", outcome.cpu_us.get(work.pk))
    for test in contest.tests:
        standing = outcome.tests[test.pk]
        label = f"{contest.function} {test}"
        yield from _compare(label, test, "health", standing.health.value)
        yield from _compare(label, test, "reason", standing.reason[:300])
        yield from _compare(label, test, "counts", standing.counts)
        yield from _compare(label, test, "standing_cause", standing.cause.value)
        proof = standing.proof
        yield from _compare(label, test, "proven_by_id", proof.implementation if proof else None)
        yield from _compare(label, test, "proven_uses", proof.uses if proof else b"")
        if bool(test.standing_cause) != (test.standing_since is not None):
            yield f"{label}: has standing by {test.standing_cause!r} since {test.standing_since}"


def _compare(
    label: str, row: Function | Implementation | Test, name: str, expected: Any
) -> Iterator[str]:
    stored = getattr(row, name)
    stored = bytes(stored) if isinstance(stored, memoryview) else stored
    if stored != expected:
        yield f"{label}: {name} is {stored!r}, expected {expected!r}"
