"""Chases: elections that unseat what each other's tests rely on, recognised by their causes."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from functions.contests.contest import AnyWork, Contest
from functions.contests.test_rules import Health
from functions.elections.causes import Change, changes_before, find_way_back, latest_changes
from functions.graph.algorithms import group, reach
from functions.graph.nodes import edges_of
from functions.models import Chase, Implementation, Test
from runner.models import FollowUp
from runner.sandbox import RUNTIME_VERSION

MOST_CHANGES = 3  # of one function in a cascade that comes back to it


@dataclass(frozen=True, slots=True)
class Loop:
    """Changes of which each has caused the next, and the last is to cause the first again."""

    path: tuple[Change, ...]
    history: Mapping[int, Change]  # all that has led here

    @property
    def functions(self) -> list[int]:
        """The functions on the path, in its order."""
        return list(dict.fromkeys(change.function for change in self.path))

    @property
    def began(self) -> int:
        """The first change of any of these functions in this cascade."""
        members = set(self.functions)
        return min(change.id for change in self.history.values() if change.function in members)

    def before(self, function_id: int, current: int | None) -> int | None:
        """Return what the function had elected before the cascade."""
        own = [change for change in self.history.values() if change.function == function_id]
        first = min(own, default=None, key=lambda change: change.id)
        return current if first is None else first.previous

    def is_still_so(self, contests: Iterable[Contest]) -> bool:
        """Tell whether nobody has changed these functions' own works since they took part."""
        bases = {change.function: change.basis for change in self.path}
        return all(
            bases[contest.function.pk] == basis_of(contest)
            for contest in contests
            if contest.function.pk in bases
        )


def find_loop(
    elected: Mapping[int, int | None],
    current: Mapping[int, int | None],
    causes: Sequence[Change],
    latest: Mapping[int, Change],
) -> Loop | None:
    """Return the loop that this change of functions elected together would close, if any.

    It closes one if causes lead from an earlier change of theirs to this one, and one of them would
    return to what it has left in this cascade, or change for a fourth time.
    """
    first = min((cause.first for cause in causes), default=None)
    if first is None or not any(pk in latest and latest[pk].id >= first for pk in elected):
        return None
    ids = [cause.id for cause in causes]
    history = changes_before(ids, across_cascades=False)
    history = {pk: change for pk, change in history.items() if not change.unsettled}
    path = find_way_back(ids, history, elected.keys())
    changed = [pk for pk, work in elected.items() if work != current[pk]]
    if path and any(_comes_back(pk, elected[pk], history.values()) for pk in changed):
        return Loop(tuple(path), history)
    return None


def _comes_back(function_id: int, elected: int | None, history: Iterable[Change]) -> bool:
    own = [change for change in history if change.function == function_id]
    return len(own) >= MOST_CHANGES or elected in [change.previous for change in own]


def basis_of(contest: Contest) -> bytes:
    """Return the hash of what a function's election is held on, apart from others' elections.

    That are its owner, candidates and tests, votes, acceptability, and which names mean something.
    """
    works: list[AnyWork] = [*contest.implementations, *contest.tests]
    told = [
        [
            work.noun,
            work.pk,
            work.score,
            work.acceptable,
            [[link.name, link.target in contest.loaded] for link in contest.links_of(work)],
        ]
        for work in works
    ]
    told.append([RUNTIME_VERSION, contest.function.owner_id])
    return hashlib.sha256(json.dumps(told).encode()).digest()


def restored(loop: Loop, contests: Sequence[Contest]) -> dict[int, Implementation | None]:
    """Return for each function what it had elected before, if that is still a candidate.

    None also where it would close a circle with functions that are not among these.
    """
    chosen: dict[int, Implementation | None] = {}
    for contest in contests:
        function = contest.function
        work = contest.find(loop.before(function.pk, function.elected_id))
        chosen[function.pk] = work if work and _is_candidate(contest, work) else None
    for _ in contests:
        stray = _in_strange_circles(contests, chosen)
        chosen |= dict.fromkeys(stray, None)
    return chosen


def _is_candidate(contest: Contest, work: Implementation) -> bool:
    is_published = work in contest.implementations
    return is_published and work.acceptable is not False and work.pk not in contest.originals


def _in_strange_circles(
    contests: Sequence[Contest], chosen: Mapping[int, Implementation | None]
) -> list[int]:
    """Return which of the functions would lead back to themselves through others than these."""
    nodes = {pk: node for contest in contests for pk, node in contest.nodes.items()}
    edges = {pk: edges_of(nodes)(pk) if node.elected else [] for pk, node in nodes.items()}
    edges |= {contest.function.pk: [] for contest in contests}
    for contest in contests:
        work = chosen[contest.function.pk]
        links = contest.links_of(work) if work else ()
        edges[contest.function.pk] = [link.target for link in links if link.target in edges]
    return [
        pk
        for circle in group(edges, edges.__getitem__)
        if len(circle) > 1 and not chosen.keys() >= set(circle)
        for pk in circle
        if chosen.get(pk)
    ]


def tests_of(loop: Loop, contests: Sequence[Contest]) -> list[int]:
    """Return the tests by which each of these functions follows the one before it in the loop."""
    together = {contest.function.pk: [contest, *contest.others] for contest in contests}
    path = [together[pk] for pk in loop.functions]
    found: set[int] = set()
    for former, present in zip([path[-1], *path], path, strict=False):
        causing = {contest.function.pk for contest in former}
        for contest in present:
            found.update(test.pk for test in contest.tests if _follows(contest, test, causing))
    return sorted(found)


def _follows(contest: Contest, test: Test, causing: Collection[int]) -> bool:
    """Tell whether a test, unless it was rejected, depends on one of these functions."""
    is_rejected = test.compile_error or (not test.counts and test.health == Health.WORKING)
    reached = reach(contest.known(contest.links_of(test)), edges_of(contest.nodes))
    return not is_rejected and not set(reached).isdisjoint(causing)


def is_over(chase: Chase, contests: Sequence[Contest], rows: Iterable[FollowUp]) -> bool:
    """Tell whether functions that are unsettled are to be judged anew.

    They are when their own works have changed, one of them is gone, or something else that they use
    has changed: but not by what they did themselves.
    """
    bases = {str(contest.function.pk): basis_of(contest).hex() for contest in contests}
    if bases != chase.bases:
        return True
    members = {contest.function.pk for contest in contests}
    return any(
        _is_from_outside(row, chase, members)
        for row in rows
        if set(row.arguments.get("by", ())) - members
    )


def _is_from_outside(row: FollowUp, chase: Chase, members: Collection[int]) -> bool:
    latest = latest_changes(row.arguments.get("changes", ()))
    before = changes_before([change.id for change in latest.values()], across_cascades=True)
    return not any(
        change.function in members and (change.unsettled or change.id >= chase.began)
        for change in before.values()
    )
