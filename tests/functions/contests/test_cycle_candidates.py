"""Which candidates are tried together, whatever others there are."""

from datetime import UTC, datetime, timedelta

import pytest

from functions.contests.cycle_candidates import (
    MAX_GIVING_WAY,
    CycleCandidate,
    choose_cycles,
    find_who_gives_way,
)

BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
P, Q, R, S, T = range(1, 6)


def candidate(pk: int, *needs: int, score: int = 0) -> CycleCandidate:
    """Return a candidate; higher ids were published later."""
    return CycleCandidate(pk, score, BEGIN + timedelta(minutes=pk), frozenset(needs))


@pytest.mark.parametrize(
    ("candidates", "chosen"),
    [
        # The newest of equals.
        ({P: [candidate(12, Q), candidate(11, Q)], Q: [candidate(21, P)]}, {P: 12, Q: 21}),
        # A newer one that needs R, which nobody has implemented, hinders nobody.
        ({P: [candidate(19, Q, R), candidate(11, Q)], Q: [candidate(21, P)]}, {P: 11, Q: 21}),
        # Nor where R itself waits for something, nor on every side.
        (
            {
                P: [candidate(19, Q, R), candidate(11, Q)],
                Q: [candidate(29, S, R), candidate(21, S)],
                S: [candidate(49, P, R), candidate(41, P)],
                R: [candidate(31, T)],
            },
            {P: 11, Q: 21, S: 41},
        ),
        # Nor where R is elected with another, and without these.
        (
            {
                P: [candidate(19, Q, R), candidate(11, Q)],
                Q: [candidate(21, P)],
                R: [candidate(31, T)],
                T: [candidate(51, R)],
            },
            {P: 11, Q: 21, R: 31, T: 51},
        ),
        # What leads back through a worse candidate of another is a member of the circle.
        (
            {
                P: [candidate(19, Q, S), candidate(11, Q)],
                Q: [candidate(21, P)],
                S: [candidate(49, R), candidate(41, P)],
                R: [candidate(31, T)],
                T: [candidate(51, R)],
            },
            {P: 19, Q: 21, S: 41, R: 31, T: 51},
        ),
        # Nothing leads back.
        ({P: [candidate(11, Q)], Q: [candidate(21, R)]}, {}),
        ({}, {}),
    ],
)
def test_a_circle_is_made_of_the_best_that_lack_nothing_else(
    candidates: dict[int, list[CycleCandidate]], chosen: dict[int, int]
) -> None:
    assert {function: one.id for function, one in choose_cycles(candidates).items()} == chosen


def test_the_one_published_last_gives_way_if_there_is_another() -> None:
    candidates = {P: [candidate(12, Q), candidate(11, Q)], Q: [candidate(21, P)]}
    assert find_who_gives_way(candidates, (), [P, Q]) == P  # Q has no other
    assert find_who_gives_way(candidates, {12}, [P, Q]) is None
    candidates[Q].append(candidate(20, P))
    assert find_who_gives_way(candidates, (), [P, Q]) == Q
    assert find_who_gives_way(candidates, {21}, [P, Q]) == P  # 20 is older than 12


def test_no_more_than_so_many_give_way() -> None:
    many = [candidate(number, Q) for number in range(140, 100, -1)]
    candidates = {P: many, Q: [candidate(21, P)]}
    gave_way = set[int]()
    while find_who_gives_way(candidates, gave_way, [P, Q]) == P:
        gave_way.add(choose_cycles(candidates, gave_way)[P].id)
    assert gave_way == {one.id for one in many[:MAX_GIVING_WAY]}
    assert MAX_GIVING_WAY == 20
