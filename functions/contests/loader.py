"""Loads contests; the number of queries does not depend on theirs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from functions.contests.contest import AnyWork, Contest
from functions.contests.proposals import load_regions
from functions.graph.nodes import Link, find_changed, load_links, load_nodes
from functions.graph.queries import imported_by_others
from functions.models import Function, Implementation, Test, Work

W = TypeVar("W", Implementation, Test)
_CODE = ("code", "generated")


def load_contest(
    function: Function, *, draft: AnyWork | None = None, draft_links: tuple[Link, ...] = ()
) -> Contest:
    """Load all published work of a function. A draft takes part with the given links."""
    [contest] = _load([function], {(draft.noun, draft.pk): draft_links} if draft else {})
    if isinstance(draft, Implementation):
        contest.propose(draft)
    return contest


def load_contests(cycle_groups: Sequence[Iterable[Function]]) -> list[list[Contest]]:
    """Load the contests of these functions, in few queries.

    Each inner iterable is a cycle group: functions that are elected or tried together.
    """
    groups = [list(cycle_group) for cycle_group in cycle_groups]
    contests = iter(_load([function for cycle_group in groups for function in cycle_group], {}))
    loaded = [[next(contests) for _ in cycle_group] for cycle_group in groups]
    for cycle_group in loaded:
        for contest in cycle_group:
            contest.others = [other for other in cycle_group if other is not contest]
    return loaded


def reload_nodes(contests: Sequence[Contest]) -> list[Contest]:
    """Read the other functions again; return the contests for which any of them changed."""
    pool = load_nodes(set[int]().union(*(contest.targets for contest in contests)))
    return [contest for contest in contests if contest.update_nodes(pool)]


def reload_changed(contests: Sequence[Contest]) -> list[Contest]:
    """Do the same as `reload_nodes`, much faster if nothing has changed."""
    loaded = {pk: node for contest in contests for pk, node in contest.loaded.items()}
    return reload_nodes(contests) if find_changed(loaded) else []


def _load(
    functions: Sequence[Function], more_links: Mapping[tuple[str, int], tuple[Link, ...]]
) -> list[Contest]:
    implementations = _published(Implementation, functions)
    tests = _published(Test, functions)
    runners = {work.pk: work for works in implementations.values() for work in works}
    # Include elected implementations, which may be withdrawn.
    chosen = {function.elected_id for function in functions if function.elected_id}
    if withdrawn := chosen - runners.keys():
        runners |= Implementation.objects.defer(*_CODE).in_bulk(withdrawn)
    imported = imported_by_others([f.pk for f in functions if f.elected_id])
    links = load_links(list(runners), [test.pk for works in tests.values() for test in works])
    contests = []
    for function in functions:
        elected = runners[function.elected_id] if function.elected_id else None
        works = [
            *implementations[function.pk],
            *tests[function.pk],
            *([elected] if elected else []),
        ]
        own = {place: links[place] for work in works if (place := (work.noun, work.pk)) in links}
        contests.append(
            Contest(
                function=function,
                implementations=implementations[function.pk],
                tests=tests[function.pk],
                elected=elected,
                nodes={},
                cycle=tuple(function.circle),
                _links={**own, **more_links},
                is_imported_by_others=function.pk in imported,
            )
        )
    reload_nodes(contests)
    _propose(contests)
    return contests


def _propose(contests: Sequence[Contest]) -> None:
    """Let functions without an implementation propose candidates that complete cycles."""
    waiting = [contest for contest in contests if contest.proposed]
    regions = load_regions([contest.function.pk for contest in waiting])
    for contest in waiting:
        contest.propose_from(regions[contest.function.pk])


def _published(model: type[W], functions: Sequence[Function]) -> dict[int, list[W]]:
    """Return the published works of each function, ordered by id."""
    found: dict[int, list[W]] = {function.pk: [] for function in functions}
    rows = model.objects.filter(function__in=list(found), state=Work.State.PUBLISHED)
    for work in rows.defer(*_CODE).order_by("id"):
        found[work.function_id].append(work)
    return found
