"""What elections lead to by the rules, in whatever order they are held: also where they go round.

As the rules, this shares no code with the site.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tests.support.rulebook.rulebook import Reading, State
from tests.support.rulebook.tiny_world import World

MOST_CHANGES = 4  # of one function that its own changes lead back to


@dataclass(frozen=True)
class Course:
    """What elections may lead to; `ways` are from each state to those that may follow it."""

    ways: Mapping[State, set[State]]

    @property
    def ends(self) -> frozenset[State]:
        """Return where none changes anything."""
        return frozenset(state for state, following in self.ways.items() if not following)

    @property
    def goes_round(self) -> bool:
        """Tell whether some order never comes to an end."""
        left = dict(self.ways)
        while ended := [each for each, following in left.items() if not following & left.keys()]:
            for each in ended:
                del left[each]
        return bool(left)

    def comes_back(self, name: str, others_too: frozenset[str]) -> bool:
        """Tell whether a function may return to what it has left, or change too often.

        On a way on which all these others change as well.
        """
        for state, following in self.ways.items():
            for then in following:
                left = number_of(state, name)
                if number_of(then, name) != left and self._leads_back(then, name, left, others_too):
                    return True
        return False

    def _leads_back(self, start: State, name: str, left: int, others_too: frozenset[str]) -> bool:
        first = (start, frozenset[str](), 1)
        seen, waiting = {first}, [first]
        while waiting:
            state, changed, times = waiting.pop()
            is_back = number_of(state, name) == left or times >= MOST_CHANGES
            if is_back and changed >= others_too:
                return True
            for then in self.ways[state]:
                moved = {one for one in others_too if number_of(state, one) != number_of(then, one)}
                is_moved = number_of(state, name) != number_of(then, name)
                following = (then, changed | moved, min(times + is_moved, MOST_CHANGES))
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
        return False


def number_of(state: State, name: str) -> int:
    """Return what is elected of a function; 0: nothing, or it isn't there."""
    return next((number for each, number, _ in state.elected if each == name), 0)


def follow(world: World, starts: Iterable[State], frozen: frozenset[str] = frozenset()) -> Course:
    """Hold all elections that would change something, in every order."""
    ways: dict[State, set[State]] = {}
    waiting = list(starts)
    while waiting:
        state = waiting.pop()
        if state not in ways:
            ways[state] = set(Reading(world, state, frozen).outdated())
            waiting += ways[state]
    return Course(ways)


def ends_unsettled(
    world: World, starts: Iterable[State], chase: tuple[str, ...], numbers: Mapping[str, int]
) -> frozenset[State]:
    """Return what may be in the end where these functions were put back to these numbers.

    Wherever their elections may have been by then; everybody else goes on from there.
    """
    put_back = {name: numbers[name] for name in chase}
    course = follow(world, starts)
    begun = [Reading(world, state).with_elected(put_back) for state in course.ways]
    return follow(world, [*starts, *begun], frozenset(chase)).ends


def faults_of_chase(
    world: World, starts: Iterable[State], chase: tuple[str, ...], numbers: Mapping[str, int]
) -> Iterator[str]:
    """Say in what it breaks the rules that these are unsettled, having started there.

    Each has what it had elected before, if that is a candidate still, and none otherwise; each uses
    the one before it; and somebody may come back to what it has left on a way on which all change.
    """
    course = follow(world, starts)
    for name in chase:
        former = {number_of(start, name) for start in course.ways}
        reading = Reading(world, next(iter(course.ways)))
        allowed = {number if reading.is_candidate(name, number) else 0 for number in former}
        if numbers[name] not in allowed:
            yield f"{name} is put back to {numbers[name]}, it had {sorted(former)}"
        before = chase[chase.index(name) - 1]
        if not reading.may_lead_to(name, before):
            yield f"{name} does not depend on {before}"
    if not any(course.comes_back(name, frozenset(chase) - {name}) for name in chase):
        yield f"{chase} don't chase each other"
