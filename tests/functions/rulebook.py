"""The rules of election once more, for a world of tiny programs, sharing no code with the site.

Written from the rules as people read them, to be understood and not to be fast. Nothing is executed
here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from tests.functions.tiny_world import DEPTH, RUNNING, Code, Fault, Step, Work, World, others

Node = TypeVar("Node")
Circle = tuple[str, ...]
# What each function has elected last, by number, none is 0; and with whom, if it goes round.
Elected = frozenset[tuple[str, int, Circle]]


class Raised(Exception):
    """A program called something that raises."""


class Reading:
    """What the rules make of a world in which these were elected last."""

    def __init__(self, world: World, elected: Elected) -> None:
        self.world = world
        self.elected = {name: number for name, number, _ in elected}
        self.circles = {name: circle for name, _, circle in elected}

    def choice(self, name: str) -> Work | None:
        """Return what has been elected, which may have been withdrawn since."""
        number = self.elected.get(name, 0)
        return self.world.find(name, "implementation", number) if number else None

    def proposal(self, name: str) -> Work | None:
        """Return the best one, where none is elected, that lacks nothing but implementations."""
        if self.elected.get(name, 0):
            return None
        lacking = {
            work.number: self.lacking(name, work.code.uses)
            for work in self.world.of(name, "implementation")
            if work.acceptable is not False
            and not self.is_copy(work)
            and name not in self.reached(name, work.code.uses)
        }
        candidates = [
            work
            for work in self.world.of(name, "implementation")
            if (names := lacking.get(work.number)) and names <= self.world.owners.keys()
        ]
        return max(candidates, key=rank, default=None)

    def choice_or_proposal(self, name: str) -> Work | None:
        return self.choice(name) or self.proposal(name)

    def reached(
        self, home: str, uses: Iterable[str], choose: Callable[[str], Work | None] | None = None
    ) -> set[str]:
        """Return all names that code of this function leads to, itself if it leads back."""
        found: set[str] = set()
        waiting = others(home, uses)
        while waiting:
            name = waiting.pop()
            choice = (choose or self.choice)(name)
            if name not in found and name != home and choice:
                waiting += choice.code.uses
            found.add(name)
        return found

    def company(self, work: Work, choose: Callable[[str], Work | None] | None = None) -> set[str]:
        """Return the functions through which an implementation leads back to its own."""
        home, found = work.name, set()
        for name in self.reached(home, work.code.uses, choose) - {home}:
            choice = (choose or self.choice)(name)
            uses = choice.code.uses if choice else ()
            if home in uses or home in self.reached(name, uses, choose):
                found.add(name)
        return found

    def peers(self, work: Work) -> set[str]:
        """Return the functions that it is elected, or tried, together with, if it leads to them."""
        home = work.name
        if circle := self.circles[home]:
            company = self.company(work)
            together = company and all(self.circles[name] == circle for name in company)
            return set(circle) - {home} if together else set()
        if work != self.proposal(home):
            return set()
        company = self.company(work, self.choice_or_proposal)
        reached = self.reached(home, work.code.uses, self.choice_or_proposal) - {home}
        lacks_more = any(not self.choice(name) for name in reached - company)
        return set() if lacks_more or any(map(self.choice, company)) else company

    def lacking(self, home: str, uses: Iterable[str]) -> set[str]:
        """Return what of all that it leads to is missing or not implemented."""
        return {name for name in self.reached(home, uses) - {home} if not self.choice(name)}

    def health(self, test: Work) -> str:
        if test.code.fault is not Fault.NONE or self.lacking(test.name, test.code.uses):
            return "broken"
        return "circular" if test.name in self.reached(test.name, test.code.uses) else "working"

    def counts(self, test: Work) -> bool:
        accepted = test.score >= 0 if test.acceptable is None else test.acceptable
        return self.health(test) == "working" and accepted

    def counting(self, name: str) -> list[Work]:
        return [test for test in self.world.of(name, "test") if self.counts(test)]

    def is_copy(self, work: Work) -> bool:
        rivals = self.world.of(work.name, "implementation")
        return any(each.code == work.code and each.published < work.published for each in rivals)

    def is_circular(self, work: Work) -> bool:
        is_round = work.name in self.reached(work.name, work.code.uses)
        return is_round and not (self.circles[work.name] and self.peers(work))

    def is_blocked(self, work: Work) -> bool:
        is_tried = not self.circles[work.name] and self.peers(work)
        return bool(self.lacking(work.name, work.code.uses)) and not is_tried

    def standing(self, work: Work) -> str:
        if work.acceptable is False:
            return "unacceptable"
        if self.is_copy(work):
            return "duplicate"
        if self.is_circular(work):
            return "circular"
        if self.is_blocked(work):
            return "blocked"
        if self.culprit(work) == work.name:
            return "not_loading"
        all_pass = self.passed(work) == len(self.counting(work.name))
        return "eligible" if all_pass and self._suits_its_peers(work) else "failing"

    def culprit(self, work: Work) -> str:
        """Return the function at whose module loading an implementation ends, if it does.

        Those of a circle are executed in the order of their names; then the own one is looked for.
        """
        chosen = {name: self.choice_or_proposal(name) for name in self.peers(work)}
        for name, each in sorted({**chosen, work.name: work}.items()):
            if each is None or each.code.fault in (Fault.UNLOADABLE, Fault.FORBIDDEN):
                return name
        return "" if work.code.fault in RUNNING else work.name

    def passed(self, work: Work) -> int:
        """Return how many of the tests that count an implementation passes, if it can be run."""
        if self.is_circular(work) or self.is_blocked(work) or self.culprit(work):
            return 0
        return sum(self._passes(work, test) for test in self.counting(work.name))

    def winner(self, name: str, *, alone: bool = False) -> int:
        """Hold a function's election; `alone` without what is tried together with others."""
        candidates = self.world.of(name, "implementation")
        if alone:
            candidates = [work for work in candidates if work != self.proposal(name)]
        ranked = sorted(candidates, key=rank, reverse=True)
        standings = {work.number: self.standing(work) for work in ranked}
        for work in ranked:
            if standings[work.number] == "eligible":
                return work.number
        if {"failing", "not_loading"} & set(standings.values()):
            return 0
        last = self.elected[name]
        return last if standings.get(last) == "blocked" else 0

    def accepts(self, test: Work) -> str:
        """Return what an acceptance test says of what is current, or that it is asleep."""
        choice = self.choice(test.name)
        using = [choice] if choice else self.world.of(test.name, "implementation")
        is_used = any(test.target in work.code.uses for work in using)
        called = (test.target, *test.code.uses)
        if test.target not in self.world.owners or not is_used or self.lacking("", called):
            return "asleep"
        return (
            "policy"
            if test.code.fault is not Fault.NONE
            else self._comes_to(test.code, test.target)
        )

    def status(self, name: str) -> str:
        choice = self.choice(name)
        if choice is None:
            return "not_implemented"
        return "blocked" if self.lacking(name, choice.code.uses) else "implemented"

    def outdated(self) -> Iterator[Elected]:
        """Yield what each election makes of this that would change something."""
        for name, number in self.elected.items():
            for changes in self._elections(name, number):
                if changes.items() - self.elected.items():
                    yield self._with(changes)

    def _elections(self, name: str, number: int) -> Iterator[dict[str, int]]:
        circle = self.circles[name]
        proposal = self.proposal(name)
        if circle and not self._is_whole(circle):
            winner = self.winner(name)
            yield {name: 0 if winner == number else winner}
        elif circle:
            yield from self._elect_again(circle)
        elif proposal and (peers := self.peers(proposal)):
            yield self._try({name, *peers})
        else:
            yield {name: self.winner(name)}

    def _elect_again(self, circle: Circle) -> Iterator[dict[str, int]]:
        """One takes another's place, or all fall."""
        winners = {name: self.winner(name) for name in circle}
        moved = {name for name, won in winners.items() if won not in (0, self.elected[name])}
        if not moved and 0 in winners.values():
            yield dict.fromkeys(circle, 0)
        yield from ({name: winners[name]} for name in moved)

    def _try(self, names: set[str]) -> dict[str, int]:
        """Whoever can be elected alone is; otherwise all are, or nobody."""
        if alone := {name: won for name in names if (won := self.winner(name, alone=True))}:
            return alone
        return {name: self.winner(name) for name in names}

    def _is_whole(self, circle: Circle) -> bool:
        return all(
            self.circles.get(name) == circle
            and (choice := self.choice(name)) is not None
            and {name, *self.company(choice)} == set(circle)
            for name in circle
        )

    def _with(self, changes: Mapping[str, int]) -> Elected:
        """Return what is elected then: those concerned may stand in other circles."""
        numbers = {**self.elected, **changes}
        then = Reading(self.world, frozenset((*each, ()) for each in numbers.items()))
        concerned = {*changes, *(each for name in changes for each in self.circles[name])}
        circles = dict(self.circles)
        for name in concerned & circles.keys():
            choice = then.choice(name)
            company = then.company(choice) if choice else set()
            circles[name] = tuple(sorted({name, *company})) if company else ()
        return frozenset((name, number, circles[name]) for name, number in numbers.items())

    def _suits_its_peers(self, work: Work) -> bool:
        """Tell whether the others' tests pass with it; and whether they load, if it is chosen."""
        peers = self.peers(work)
        if work == self.choice_or_proposal(work.name):
            for name in peers:
                choice = self.choice_or_proposal(name)
                if choice is None or choice.code.fault not in RUNNING:
                    return False
        return all(self._passes(work, test) for name in peers for test in self.counting(name))

    def _passes(self, candidate: Work, test: Work) -> bool:
        return self._comes_to(test.code, test.name, candidate) == "passed"

    def _comes_to(self, test: Code, name: str, candidate: Work | None = None) -> str:
        """Return what a test of a function says that can be run."""
        try:
            called = sum(self._call(each, candidate) for each in (name, *others(name, test.uses)))
        except Raised:
            return "error"
        return "failed" if called % 3 == test.value else "passed"

    def _call(self, name: str, candidate: Work | None, depth: int = DEPTH) -> int:
        """Return the function's value, where the candidate's function means the candidate."""
        is_its_own = candidate is not None and name == candidate.name
        work = candidate if is_its_own else self.choice_or_proposal(name)
        if work is None or work.code.fault is not Fault.NONE:
            raise Raised
        further = work.code.uses if depth else ()
        return work.code.value + sum(self._call(use, candidate, depth - 1) for use in further)


def rank(work: Work) -> tuple[int, int]:
    return work.score, work.published


def after(step: Step, elected: Elected) -> Elected:
    """Return what is elected when this has been done, before any election is held."""
    kept = {each for each in elected if each[0] != step.name}
    if step.act == "define":
        return frozenset({*kept, (step.name, 0, ())})
    return frozenset(kept) if step.act == "delete" else elected


@dataclass(frozen=True)
class Course:
    """What elections may lead to, in whatever order they are held."""

    seen: frozenset[Elected]
    ends: frozenset[Elected]  # where none changes anything
    is_ruled: bool  # every order comes to an end


def follow(world: World, starts: Iterable[Elected]) -> Course:
    """Hold all elections that would change something, in every order."""
    ways: dict[Elected, set[Elected]] = {}
    waiting = list(starts)
    while waiting:
        elected = waiting.pop()
        if elected not in ways:
            ways[elected] = set(Reading(world, elected).outdated())
            waiting += ways[elected]
    ends = frozenset(elected for elected, following in ways.items() if not following)
    return Course(frozenset(ways), ends, not goes_round(ways))


def goes_round(ways: Mapping[Node, set[Node]]) -> bool:
    """Tell whether some way never ends."""
    left = dict(ways)
    while ended := [each for each, following in left.items() if not following & left.keys()]:
        for each in ended:
            del left[each]
    return bool(left)
