"""Circles: functions elected together, since their implementations lead to each other.

What the election of each has found becomes one decision about all of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from functions.contests.contest import Contest
from functions.contests.rules import JUDGED, Decision, Standing
from functions.elections.election import Outcome
from functions.graph.nodes import Node

Outcomes = Mapping[int, Outcome]  # by the function's id


def agree(contests: Sequence[Contest], outcomes: Outcomes) -> dict[int, Outcome]:
    """Let those that are elected or tried together change together, or not at all."""
    found = {pk: outcome.decision for pk, outcome in outcomes.items()}
    decisions = _elect_again(contests, found) if contests[0].circle else _try(contests, found)
    return {
        pk: replace(one, decision=decisions.get(pk, one.decision)) for pk, one in outcomes.items()
    }


def _try(contests: Sequence[Contest], found: Mapping[int, Decision]) -> dict[int, Decision]:
    """Elect nobody's proposal unless all are elected."""
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
    """Return which of those that have failed together goes on to its next candidate, and from what.

    None where nothing has failed, or nobody has another candidate.
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
    """Tell whether the others have been tried with what the contest proposes, and nobody else."""
    proposed = contest.proposed
    if proposed is None or proposed.pk != contest.function.proposed_id:
        return False
    others = sorted(other.function.name for other in contest.others)
    return others == list(contest.closure_of(proposed).company)


def _elect_again(contests: Sequence[Contest], found: Mapping[int, Decision]) -> dict[int, Decision]:
    """Change one of them, which has been tried with the others; or let all of them fall."""
    current = {contest.function.pk: contest.function.elected_id for contest in contests}
    if not all(contest.is_whole for contest in contests):
        return {
            pk: Decision(None, is_waiting=one.is_waiting, reason="its circle is not whole")
            for pk, one in found.items()
            if one.elected == current[pk]
        }
    moved = [pk for pk, one in found.items() if one.elected not in (None, current[pk])]
    is_waiting = any(one.is_waiting for one in found.values())
    fallen = [pk for pk, one in found.items() if one.elected is None]
    if fallen and not moved and not is_waiting:
        return {pk: Decision(None, is_waiting=False, reason="its circle falls") for pk in found}
    return {
        pk: Decision(current[pk], is_waiting=one.is_waiting or not moved, reason="the whole waits")
        for pk, one in found.items()
        if one.elected != current[pk] and pk not in moved[:1]
    }


def arrange(contests: Sequence[Contest], outcomes: Outcomes, *, anew: bool = False) -> None:
    """Let the contests see what is elected in the others, and which circles that makes.

    `anew` where they see something else already.
    """
    chosen = {
        one.function.pk: one.find(outcomes[one.function.pk].decision.elected) for one in contests
    }
    if not anew and all(
        one.function.elected_id == _id(chosen[one.function.pk]) for one in contests
    ):
        return
    seen: dict[int, Node] = {}
    for contest in contests:
        seen = {**contest.nodes, **seen}
    for contest in contests:
        pk = contest.function.pk
        former, work = seen.pop(pk, None), chosen[pk]
        if work is not None and (former is not None or anew):
            now = contest.node_with(work)
            digest = former.digest if former else bytes(contest.function.closure_digest)
            seen[pk] = now._replace(judging=former.judging if former else False, digest=digest)
    for contest in contests:
        contest.see(seen, ())
    circles = {one.function.pk: one.circle_of(chosen[one.function.pk]) for one in contests}
    for pk in circles.keys() & seen.keys():
        seen[pk] = seen[pk]._replace(circle=circles[pk])
    for contest in contests:
        contest.see(seen, circles[contest.function.pk])


def _id(work: object) -> int | None:
    return getattr(work, "pk", None)
