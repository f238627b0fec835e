"""Detects chases: elections that keep unseating implementations that each other's tests use."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from functions.contests.contest import AnyWork, Contest
from functions.contests.test_rules import Health
from functions.elections.causes import Change, changes_before, find_cycle_path, latest_changes
from functions.graph.algorithms import find_components, reachable
from functions.graph.nodes import edges_of
from functions.models import Chase, Implementation, Test
from runner.models import FollowUp
from runner.sandbox import RUNTIME_VERSION

MAX_CHANGES = 3  # of one function within a cascade that returns to it


@dataclass(frozen=True, slots=True)
class Loop:
    """A path of changes, each caused by the one before it, that would close into a loop."""

    path: tuple[Change, ...]
    history: Mapping[int, Change]  # all direct and indirect causes, by id

    @property
    def functions(self) -> list[int]:
        """The functions on the path, in order."""
        return list(dict.fromkeys(change.function for change in self.path))

    @property
    def began(self) -> int:
        """Id of the first change of any of these functions in this cascade."""
        members = set(self.functions)
        return min(change.id for change in self.history.values() if change.function in members)

    def before(self, function_id: int, current: int | None) -> int | None:
        """Return the id of the function's elected implementation before the cascade."""
        own = [change for change in self.history.values() if change.function == function_id]
        first = min(own, default=None, key=lambda change: change.id)
        return current if first is None else first.previous

    def is_current(self, contests: Iterable[Contest]) -> bool:
        """Return whether these functions' own works are unchanged since the loop's changes."""
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
    """Return the loop that this change of a cycle group would close, if any.

    That is so if causes lead from an earlier change of its members to this one, and one of them
    would return to an implementation that it left in this cascade, or change for a fourth time.
    """
    first = min((cause.first for cause in causes), default=None)
    if first is None or not any(pk in latest and latest[pk].id >= first for pk in elected):
        return None
    ids = [cause.id for cause in causes]
    history = changes_before(ids, across_cascades=False)
    history = {pk: change for pk, change in history.items() if not change.unsettled}
    path = find_cycle_path(ids, history, elected.keys())
    changed = [pk for pk, work in elected.items() if work != current[pk]]
    if path and any(_comes_back(pk, elected[pk], history.values()) for pk in changed):
        return Loop(tuple(path), history)
    return None


def _comes_back(function_id: int, elected: int | None, history: Iterable[Change]) -> bool:
    own = [change for change in history if change.function == function_id]
    return len(own) >= MAX_CHANGES or elected in [change.previous for change in own]


def basis_of(contest: Contest) -> bytes:
    """Return a hash of the inputs of a function's election, except other elections.

    They are its owner, candidates and tests, votes, acceptability, and which names are defined.
    """
    works: list[AnyWork] = [*contest.implementations, *contest.tests]
    inputs = [
        [
            work.noun,
            work.pk,
            work.score,
            work.acceptable,
            [[link.name, link.target in contest.loaded] for link in contest.links_of(work)],
        ]
        for work in works
    ]
    inputs.append([RUNTIME_VERSION, contest.function.owner_id])
    return hashlib.sha256(json.dumps(inputs).encode()).digest()


def previously_elected(loop: Loop, contests: Sequence[Contest]) -> dict[int, Implementation | None]:
    """Return for each function the implementation elected before, if it is still a candidate.

    None also if it would close a cycle with functions that are not among these.
    """
    chosen: dict[int, Implementation | None] = {}
    for contest in contests:
        function = contest.function
        work = contest.find_implementation(loop.before(function.pk, function.elected_id))
        chosen[function.pk] = work if work and _is_candidate(contest, work) else None
    for _ in contests:
        foreign = _in_foreign_cycles(contests, chosen)
        chosen |= dict.fromkeys(foreign, None)
    return chosen


def _is_candidate(contest: Contest, work: Implementation) -> bool:
    is_published = work in contest.implementations
    return is_published and work.acceptable is not False and work.pk not in contest.originals


def _in_foreign_cycles(
    contests: Sequence[Contest], chosen: Mapping[int, Implementation | None]
) -> list[int]:
    """Return the functions that would be in a cycle with functions that are not among these."""
    nodes = {pk: node for contest in contests for pk, node in contest.nodes.items()}
    edges = {pk: edges_of(nodes)(pk) if node.elected else [] for pk, node in nodes.items()}
    edges |= {contest.function.pk: [] for contest in contests}
    for contest in contests:
        work = chosen[contest.function.pk]
        links = contest.links_of(work) if work else ()
        edges[contest.function.pk] = [link.target for link in links if link.target in edges]
    return [
        pk
        for component in find_components(edges, edges.__getitem__)
        if len(component) > 1 and not chosen.keys() >= set(component)
        for pk in component
        if chosen.get(pk)
    ]


def causing_tests(loop: Loop, contests: Sequence[Contest]) -> list[int]:
    """Return the tests by which each function in the loop depends on the one before it."""
    together = {contest.function.pk: [contest, *contest.others] for contest in contests}
    path = [together[pk] for pk in loop.functions]
    found: set[int] = set()
    for former, present in zip([path[-1], *path], path, strict=False):
        causing = {contest.function.pk for contest in former}
        for contest in present:
            found.update(test.pk for test in contest.tests if _follows(contest, test, causing))
    return sorted(found)


def _follows(contest: Contest, test: Test, causing: Collection[int]) -> bool:
    """Return whether a test depends on one of these functions, and isn't rejected."""
    is_rejected = test.compile_error or (not test.counts and test.health == Health.WORKING)
    reached = reachable(contest.resolve(contest.links_of(test)), edges_of(contest.nodes))
    return not is_rejected and not set(reached).isdisjoint(causing)


def has_ended(chase: Chase, contests: Sequence[Contest], rows: Iterable[FollowUp]) -> bool:
    """Return whether a chase has ended, so that its functions are judged again.

    It ends when their own works or members change, or another dependency changes for a cause
    outside the chase.
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
