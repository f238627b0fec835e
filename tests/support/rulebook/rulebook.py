"""The rules of election once more, for a world of tiny programs, sharing no code with the site.

Written from the rules as people read them, to be understood and not to be fast. Nothing is executed
here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from tests.support.rulebook.tiny_world import DEPTH, RUNNING, Code, Fault, Step, Work, World, others

Node = TypeVar("Node")
Circle = tuple[str, ...]
MAX_GIVING_WAY = 20
# What each function has elected last, by number, none is 0; and with whom, if it goes round.
Elected = frozenset[tuple[str, int, Circle]]
Uses = frozenset[tuple[str, Code]]


class Standing(NamedTuple):
    """By which implementation a test was passed last, and what it used then; by none: for good."""

    prover: int = 0
    uses: Uses = frozenset()


class State(NamedTuple):
    """What the rules go on from: also who was ever elected, and which tests are no challenges."""

    elected: Elected = frozenset()
    begun: frozenset[str] = frozenset()
    standing: frozenset[tuple[str, int, Standing]] = frozenset()  # by function and number


class Raised(Exception):
    """A program called something that raises."""


class Reading:
    """What the rules make of a world in which these were elected last.

    Those that are `frozen` keep what they have, since they are unsettled.
    """

    def __init__(self, world: World, state: State, frozen: frozenset[str] = frozenset()) -> None:
        self.world = world
        self.state = state
        self.frozen = frozen
        self.elected = {name: number for name, number, _ in state.elected}
        self.circles = {name: circle for name, _, circle in state.elected}
        self.standings = {(name, number): each for name, number, each in state.standing}
        self._proposals: dict[str, Work] = {}
        self._has_proposals = False

    def choice(self, name: str) -> Work | None:
        """Return what has been elected, which may have been withdrawn since."""
        number = self.elected.get(name, 0)
        return self.world.find(name, "implementation", number) if number else None

    def proposal(self, name: str) -> Work | None:
        """Return the one to be elected together with others', where none is elected."""
        if not self._has_proposals:
            self._has_proposals = True
            self._find_proposals()
        return self._proposals.get(name)

    def _find_proposals(self) -> None:
        """Try circles until one passes; whoever was published last gives way to its next."""
        gave_way: list[Work] = []
        while True:
            chosen = self._choose_circles(gave_way)
            waiting = self._waiting()
            proposals = {name: chosen.get(name) or self._hopeful(name) for name in waiting}
            self._proposals = {name: work for name, work in proposals.items() if work}
            failed = next((each for each in self._circles_of(chosen) if self._fails(each)), None)
            if failed is None or sum(work.name in failed for work in gave_way) >= MAX_GIVING_WAY:
                return
            giving = [
                chosen[name]
                for name in failed
                if name in self._choose_circles([*gave_way, chosen[name]])
            ]
            if not giving:
                return
            gave_way.append(max(giving, key=lambda work: work.published))

    def _choose_circles(self, gave_way: Iterable[Work]) -> dict[str, Work]:
        """Return who is tried together with others: they lack nothing but members of a circle."""
        chosen: dict[str, Work] = {}
        waiting = self._waiting()
        while True:
            left = {name: self._possible(name, gave_way) for name in waiting - chosen.keys()}
            while any(self._leave_out_hopeless(name, left) for name in left):
                pass
            first = {name: max(works, key=rank) for name, works in left.items() if works}
            if not first:
                return chosen
            needs = {name: self._needs(work) for name, work in first.items()}
            led_to = {name: _all_below(name, needs) for name in needs}
            for name, below in led_to.items():
                if all(name in led_to[other] for other in below):
                    chosen[name] = first[name]

    def _waiting(self) -> set[str]:
        """Return who may be elected together with others."""
        unelected = {name for name in self.world.owners if not self.elected.get(name, 0)}
        return unelected - self.frozen

    def _possible(self, name: str, gave_way: Iterable[Work]) -> list[Work]:
        """Return what lacks nothing but that functions it names itself are implemented."""
        return [
            work
            for work in self.world.of(name, "implementation")
            if work not in gave_way
            and work.acceptable is not False
            and not self.is_copy(work)
            and self._needs(work)
            and self.lacking(name, work.code.uses) == self._needs(work)
            and self._needs(work) <= self.world.owners.keys()
        ]

    def _needs(self, work: Work) -> set[str]:
        return {name for name in others(work.name, work.code.uses) if not self.choice(name)}

    def _leave_out_hopeless(self, name: str, left: dict[str, list[Work]]) -> bool:
        """Leave out what needs a function without candidates; false if there is nothing such."""
        able = {each for each, works in left.items() if works}
        hopeful = [work for work in left[name] if self._needs(work) <= able]
        is_less = len(hopeful) < len(left[name])
        left[name] = hopeful
        return is_less

    def _hopeful(self, name: str) -> Work | None:
        """Return the best one, if no circle can be made yet, that lacks only implementations."""
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

    def _circles_of(self, chosen: Mapping[str, Work]) -> list[set[str]]:
        needs = {name: self._needs(work) for name, work in chosen.items()}
        return [{name, *_all_below(name, needs)} for name in chosen]

    def _fails(self, circle: set[str]) -> bool:
        """Tell whether these can't be elected together, and none of them alone."""
        if any(self.winner(name, alone=True) for name in circle):
            return False
        return any(self.winner(name) == 0 for name in circle)

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
        return self.health(test) == "working" and accepted and not self.is_challenge(test)

    def is_challenge(self, test: Work) -> bool:
        return (test.name, test.number) not in self.standings

    def reviewed(self, names: Iterable[str], *, passing: bool) -> "Reading":
        """Return this as it is once it was looked at which of their tests have standing.

        Not `passing`: what the elected ones pass and have not passed before isn't known yet.
        """
        standings = dict(self.standings)
        for test in (test for name in names for test in self.world.of(name, "test")):
            place = (test.name, test.number)
            if found := self._standing(test, passing=passing):
                standings[place] = found
            else:
                standings.pop(place, None)
        standing = frozenset((*place, each) for place, each in standings.items())
        return Reading(self.world, self.state._replace(standing=standing), self.frozen)

    def _standing(self, test: Work, *, passing: bool) -> Standing | None:
        former = self.standings.get((test.name, test.number))
        is_owners = test.author == self.world.owners[test.name]
        if former == Standing() or is_owners or test.acceptable or test.score >= 1:
            return Standing()
        judge = self.elected[test.name] or (former.prover if former else 0)
        verdict = self.verdict(test.name, judge, test) if judge else ""
        if verdict == "passed" and (former or passing):
            return Standing(judge, self.uses(test))
        if former and verdict not in ("", "passed") and former.uses != self.uses(test):
            return None
        return former

    def uses(self, test: Work) -> Uses:
        """Return what a test itself leads to, its function apart."""
        names = self.reached(test.name, test.code.uses) - {test.name}
        return frozenset((name, choice.code) for name in names if (choice := self.choice(name)))

    def verdict(self, name: str, number: int, test: Work) -> str:
        """Return what an implementation and a test come to; nothing if they can't be run."""
        work = self.world.find(name, "implementation", number)
        if work.is_withdrawn or self.is_circular(work) or self.is_blocked(work):
            return ""
        if self.lacking(name, test.code.uses):
            return ""
        if test.code.fault is not Fault.NONE or self.culprit(work):
            return "error"
        return self._comes_to(test.code, name, work)

    def counting(self, name: str) -> list[Work]:
        return [test for test in self.world.of(name, "test") if self.counts(test)]

    def is_copy(self, work: Work) -> bool:
        rivals = self.world.of(work.name, "implementation")
        return any(each.code == work.code and each.published < work.published for each in rivals)

    def is_candidate(self, name: str, number: int) -> bool:
        works = self.world.of(name, "implementation")
        own = [work for work in works if work.number == number]
        return any(work.acceptable is not False and not self.is_copy(work) for work in own)

    def may_lead_to(self, name: str, other: str) -> bool:
        """Tell whether some work of a function uses the other, whatever may be elected between."""
        found: set[str] = set()
        waiting = [use for noun in ("test", "implementation") for use in self._uses(name, noun)]
        while waiting:
            use = waiting.pop()
            if use not in found and use != name:
                found.add(use)
                waiting += self._uses(use, "implementation")
        return other in found

    def _uses(self, name: str, noun: str) -> list[str]:
        return [use for work in self.world.of(name, noun) for use in others(name, work.code.uses)]

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
            if standings[work.number] == "eligible" and not self._is_held_off(work, standings):
                return work.number
        if {"failing", "not_loading"} & set(standings.values()):
            return 0
        last = self.elected[name]
        return last if standings.get(last) == "blocked" else 0

    def _is_held_off(self, work: Work, standings: Mapping[int, str]) -> bool:
        """The elected one, which other owners import, yields to few of its equals."""
        name, last = work.name, self.choice(work.name)
        if last is None or standings.get(last.number) != "eligible" or last.score != work.score:
            return False
        owner = self.world.owners[name]
        importing = [each for each in self.elected if self.world.owners[each] != owner]
        uses = {
            use for each in importing if (choice := self.choice(each)) for use in choice.code.uses
        }
        return (
            name in uses
            and work.published > last.published
            and (work.author not in (owner, last.author))
        )

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

    def outdated(self) -> Iterator[State]:
        """Yield what each election makes of this that would change something.

        A verdict may come when the one whose it is has been unseated.
        """
        for name in self.elected:
            together = self.circles[name] or (name, *self._tried_with(name))
            for passing in (True, False):
                reading = self.reviewed(together, passing=passing)
                elections = [] if name in self.frozen else reading._elections(name)
                for changes in elections:
                    if changes.items() - self.elected.items():
                        yield reading.with_elected(changes)
                if reading.state != self.state:
                    yield reading.state

    def _tried_with(self, name: str) -> set[str]:
        proposal = self.proposal(name)
        return self.peers(proposal) if proposal else set()

    def _elections(self, name: str) -> Iterator[dict[str, int]]:
        circle = self.circles[name]
        proposal = self.proposal(name)
        if circle and not self._is_whole(circle):
            choice = self.choice(name)
            left = {name, *(self.company(choice) if choice else ())}  # these still fall together
            winners = {each: self.winner(each) for each in left}
            yield {each: won * (won != self.elected[each]) for each, won in winners.items()}
        elif circle:
            yield from self._elect_again(circle)
        elif proposal and (peers := self.peers(proposal)):
            tried = self._try({name, *peers})
            yield tried
            # Who wins alone may be elected before the others are looked at.
            if self.winner(name, alone=True):
                yield {name: tried[name]}
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

    def with_elected(self, changes: Mapping[str, int]) -> State:
        """Return what is elected then: those concerned may stand in other circles."""
        numbers = {**self.elected, **changes}
        alone = frozenset((*each, ()) for each in numbers.items())
        then = Reading(self.world, State(alone), self.frozen)
        concerned = {*changes, *(each for name in changes for each in self.circles[name])}
        circles = dict(self.circles)
        for name in concerned & circles.keys():
            choice = then.choice(name)
            company = then.company(choice) if choice else set()
            circles[name] = tuple(sorted({name, *company})) if company else ()
        elected = frozenset((name, number, circles[name]) for name, number in numbers.items())
        begun = self.state.begun | {name for name, number in numbers.items() if number}
        return self.state._replace(elected=elected, begun=begun)

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


def _all_below(name: str, needs: Mapping[str, set[str]]) -> set[str]:
    """Return all that a function leads to by these."""
    found: set[str] = set()
    waiting = [*needs[name]]
    while waiting:
        below = waiting.pop()
        if below not in found:
            found.add(below)
            waiting += needs[below]
    return found


def rank(work: Work) -> tuple[int, int]:
    return work.score, work.published


def after(step: Step, world: World, state: State) -> State:
    """Return how it stands when this has been done to a world, before any election is held."""
    if step.act in ("define", "delete"):
        there = {each for each in state.elected if each[0] != step.name}
        defined = {(step.name, 0, ())} if step.act == "define" else set()
        return State(
            frozenset(there | defined),
            state.begun - {step.name},
            frozenset(each for each in state.standing if each[0] != step.name),
        )
    if step.noun == "test" and _has_standing_by(step, world, state):
        kept = {each for each in state.standing if each[:2] != (step.name, step.number)}
        return state._replace(standing=frozenset({*kept, (step.name, step.number, Standing())}))
    return state


def _has_standing_by(step: Step, world: World, state: State) -> bool:
    """Tell whether this gives its test standing at once."""
    if step.act == "publish":
        return step.actor == world.owners[step.name] or step.name not in state.begun
    return step.act == "judge" and step.value == 1
