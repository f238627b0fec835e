"""Cycles: functions that are elected together, as their implementations depend on each other.

The decisions about the members become one decision about all of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from functions.contests.contest import Contest
from functions.contests.rules import JUDGED, Decision, Standing
from functions.elections.election import Outcome
from functions.graph.nodes import Node

Outcomes = Mapping[int, Outcome]  # by the function's id


def merge_decisions(contests: Sequence[Contest], outcomes: Outcomes) -> dict[int, Outcome]:
    """Return outcomes in which the members of a cycle group change together or not at all."""
    found = {pk: outcome.decision for pk, outcome in outcomes.items()}
    decisions = _elect_again(contests, found) if contests[0].cycle else _try(contests, found)
    return {
        pk: replace(one, decision=decisions.get(pk, one.decision)) for pk, one in outcomes.items()
    }


def _try(contests: Sequence[Contest], found: Mapping[int, Decision]) -> dict[int, Decision]:
    """Return the decisions that drop all proposals unless every member's can be elected."""
    tried = [
        one for one in contests if one.proposed and found[one.function.pk].elected == one.choice
    ]
    if tried and len(tried) == len(contests) and all(map(_is_proposed_to_all, contests)):
        return {}
    reason = "tried together with others, of which not all can be elected"
    return {one.function.pk: Decision(None, is_waiting=False, reason=reason) for one in tried}


def find_who_gives_way(
    contests: Sequence[Contest], outcomes: Outcomes
) -> tuple[Contest, int] | None:
    """Return the member to try with its next candidate, and the id of the failed one.

    None if nothing has failed, or no member has another candidate.
    """
    tried = {one.function.pk: one.proposed for one in contests}
    works = {pk: work.pk for pk, work in tried.items() if work}
    if len(works) < len(contests) or not all(map(_is_proposed_to_all, contests)):
        return None
    standings = [outcomes[pk].candidates[work].standing for pk, work in works.items()]
    is_open = any(
        one.decision.is_waiting or one.decision.elected is not None for one in outcomes.values()
    )
    if is_open or Standing.UNJUDGED in standings or not JUDGED.intersection(standings):
        return None
    pk = contests[0].region.find_who_gives_way(works.keys())
    return next(((one, works[pk]) for one in contests if one.function.pk == pk), None)


def _is_proposed_to_all(contest: Contest) -> bool:
    """Return whether exactly the other members were tried with this contest's proposal."""
    proposed = contest.proposed
    if proposed is None or proposed.pk != contest.function.proposed_id:
        return False
    others = sorted(other.function.name for other in contest.others)
    return others == list(contest.closure_of(proposed).cycle_group)


def _elect_again(contests: Sequence[Contest], found: Mapping[int, Decision]) -> dict[int, Decision]:
    """Return decisions that change one member, tried with the others, or unelect all of them."""
    current = {contest.function.pk: contest.function.elected_id for contest in contests}
    if not all(contest.is_complete for contest in contests):
        return {
            pk: Decision(None, is_waiting=one.is_waiting, reason="its circle is incomplete")
            for pk, one in found.items()
            if one.elected == current[pk]
        }
    moved = [pk for pk, one in found.items() if one.elected not in (None, current[pk])]
    is_waiting = any(one.is_waiting for one in found.values())
    fallen = [pk for pk, one in found.items() if one.elected is None]
    if fallen and not moved and not is_waiting:
        return {pk: Decision(None, is_waiting=False, reason="its circle falls") for pk in found}
    return {
        pk: Decision(current[pk], is_waiting=one.is_waiting or not moved, reason="its circle waits")
        for pk, one in found.items()
        if one.elected != current[pk] and pk not in moved[:1]
    }


def apply_decisions(
    contests: Sequence[Contest], outcomes: Outcomes, *, force: bool = False
) -> None:
    """Update the contests' nodes and cycles to the elected implementations.

    `force` is needed if they differ from the stored elections already.
    """
    chosen = {
        one.function.pk: one.find_implementation(outcomes[one.function.pk].decision.elected)
        for one in contests
    }
    if not force and all(
        one.function.elected_id == _id(chosen[one.function.pk]) for one in contests
    ):
        return
    seen: dict[int, Node] = {}
    for contest in contests:
        seen = {**contest.nodes, **seen}
    for contest in contests:
        pk = contest.function.pk
        former, work = seen.pop(pk, None), chosen[pk]
        if work is not None and (former is not None or force):
            now = contest.node_electing(work)
            digest = former.digest if former else bytes(contest.function.closure_digest)
            seen[pk] = now._replace(judging=former.judging if former else False, digest=digest)
    for contest in contests:
        contest.set_nodes(seen, ())
    cycles = {one.function.pk: one.cycle_of(chosen[one.function.pk]) for one in contests}
    for pk in cycles.keys() & seen.keys():
        seen[pk] = seen[pk]._replace(cycle=cycles[pk])
    for contest in contests:
        contest.set_nodes(seen, cycles[contest.function.pk])


def _id(work: object) -> int | None:
    return getattr(work, "pk", None)
