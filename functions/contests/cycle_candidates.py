"""Chooses candidates of functions without an implementation to try together as cycles."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from functions.graph.algorithms import find_components

MAX_GIVING_WAY = 20  # per cycle, until something that it depends on changes


class CycleCandidate(NamedTuple):
    """A candidate that only waits for implementations of the functions in `needs`."""

    id: int
    score: int
    published_at: datetime
    needs: frozenset[int]


Candidates = Mapping[int, Sequence[CycleCandidate]]  # by function, highest rank first


def choose_cycles(
    candidates: Candidates, gave_way: Collection[int] = ()
) -> dict[int, CycleCandidate]:
    """Return the candidate to try for each function that can be part of a complete cycle.

    It is the highest ranked one that needs nothing but members of the cycle.
    """
    chosen: dict[int, CycleCandidate] = {}
    left = {
        function: [one for one in each if one.id not in gave_way]
        for function, each in candidates.items()
    }
    while left := _without_unsatisfiable(left):
        first = {function: each[0] for function, each in left.items()}
        needs = {function: sorted(one.needs) for function, one in first.items()}
        for members in find_components(first, needs.__getitem__):
            if set(members).issuperset(need for function in members for need in needs[function]):
                chosen |= {function: first[function] for function in members}
        # A function that needs a member of a complete cycle waits for its election.
        left = {function: each for function, each in left.items() if function not in chosen}
    return chosen


def find_who_gives_way(
    candidates: Candidates, gave_way: Collection[int], failed: Collection[int]
) -> int | None:
    """Return the function, of those that failed together, to try with its next candidate.

    It is the one whose candidate was published last, if it has another one. None if none has.
    """
    chosen = choose_cycles(candidates, gave_way)
    own = {one.id for function in failed for one in candidates[function]}
    if not chosen.keys() >= set(failed) or len(own.intersection(gave_way)) >= MAX_GIVING_WAY:
        return None
    last_first = sorted(
        failed, key=lambda function: (chosen[function].published_at, chosen[function].id)
    )
    for function in reversed(last_first):
        if function in choose_cycles(candidates, {*gave_way, chosen[function].id}):
            return function
    return None


def _without_unsatisfiable(candidates: Candidates) -> dict[int, list[CycleCandidate]]:
    """Drop candidates that need a function without candidates, repeatedly."""
    left = {function: list(each) for function, each in candidates.items()}
    needing: dict[int, set[int]] = {}
    for function, each in left.items():
        for need in frozenset[int]().union(*(one.needs for one in each)):
            needing.setdefault(need, set()).add(function)
    gone = [*(need for need in needing if need not in left), *(f for f in left if not left[f])]
    while gone:
        need = gone.pop()
        left.pop(need, None)
        for function in needing.get(need, ()):
            if function in left:
                left[function] = [one for one in left[function] if need not in one.needs]
                if not left[function]:
                    gone.append(function)
    return left
