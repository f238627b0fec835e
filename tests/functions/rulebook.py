"""The rules once more, for a world of tiny programs: a model that shares no code with the site.

What a work does is declared. Its text follows from that, and so does what it comes to: nothing is
executed here. It is written from the rules as people read them, to be understood and not to be
fast.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeVar

STAFF = "sue"
Node = TypeVar("Node")
# The implementation that each function has elected last, by number; none is 0.
Elected = frozenset[tuple[str, int]]


class Fault(Enum):
    """What is wrong with some code; with a test, the sandbox forbids it, whichever it is."""

    NONE = auto()
    RAISES = auto()  # whenever it is called
    UNLOADABLE = auto()
    NAMELESS = auto()  # it defines another name than its function's
    FORBIDDEN = auto()


RUNNING = (Fault.NONE, Fault.RAISES)  # with these an implementation loads


@dataclass(frozen=True)
class Code:
    """An implementation returns its value and that of what it uses; a test forbids such a sum."""

    uses: tuple[str, ...]
    value: int
    fault: Fault = Fault.NONE

    def implementing(self, name: str) -> str:
        """Return the text of an implementation of this function."""
        defined = "Another" if self.fault is Fault.NAMELESS else name
        terms = [f"1 // 0 + {self.value}" if self.fault is Fault.RAISES else f"{self.value}"]
        terms += [f"{use}()" for use in self.uses]
        head = {Fault.UNLOADABLE: "raise ValueError\n", Fault.FORBIDDEN: "import os\n"}
        body = f"def {defined}():\n    return {' + '.join(terms)}\n"
        return head.get(self.fault, "") + self._markers() + body

    def testing(self, name: str) -> str:
        """Return the text of a test of this function."""
        head = "" if self.fault is Fault.NONE else "import os\n"
        calls = " + ".join(f"{each}()" for each in (name, *others(name, self.uses)))
        return f"{head}{self._markers()}assert ({calls}) % 3 != {self.value}\n"

    def _markers(self) -> str:
        return "".join(f"# <<{use}>>\n" for use in self.uses)


def others(name: str, uses: Iterable[str]) -> list[str]:
    """Return what is used apart from the function itself."""
    return [use for use in uses if use != name]


@dataclass
class Work:
    """A published implementation or test."""

    noun: str
    name: str  # of its function
    number: int
    author: str
    code: Code
    published: int  # later ones have higher numbers
    is_withdrawn: bool = False
    acceptable: bool | None = None
    votes: dict[str, int] = field(default_factory=dict)

    @property
    def score(self) -> int:
        return sum(self.votes.values())

    def __str__(self) -> str:
        return f"{self.name} {self.noun} {self.number}"


@dataclass(frozen=True)
class Step:
    """Something that somebody does to a function, or to the work of this noun and number."""

    act: str
    actor: str
    name: str
    noun: str = ""
    number: int = 0
    code: Code = Code((), 0)
    value: int = 0


@dataclass
class World:
    """All that was published, and who owns and owned what."""

    owners: dict[str, str] = field(default_factory=dict)
    last_owners: dict[str, str] = field(default_factory=dict)  # of what was deleted
    works: list[Work] = field(default_factory=list)  # of functions that are there
    published: int = 0

    def of(self, name: str, noun: str) -> list[Work]:
        """Return a function's works that are published still."""
        works = (work for work in self.works if (work.name, work.noun) == (name, noun))
        return [work for work in works if not work.is_withdrawn]

    def find(self, name: str, noun: str, number: int) -> Work:
        place = (name, noun, number)
        return next(each for each in self.works if (each.name, each.noun, each.number) == place)

    def allows(self, step: Step) -> bool:
        """Tell whether this may be done by who wants to."""
        is_owner = step.actor in (self.owners.get(step.name), STAFF)
        if step.act == "define":
            return step.name not in self.owners and not self._guards(step)
        if step.act == "publish":
            return True
        if step.act == "delete":
            return is_owner
        work = self.find(step.name, step.noun, step.number)
        may = {"vote": step.actor != work.author, "withdraw": step.actor == work.author}
        return not work.is_withdrawn and may.get(step.act, is_owner)

    def take(self, step: Step) -> None:
        """Let it be done."""
        if step.act == "define":
            self.owners[step.name] = step.actor
        elif step.act == "delete":
            self.last_owners[step.name] = self.owners.pop(step.name)
            self.works = [work for work in self.works if work.name != step.name]
        elif step.act == "publish":
            self.published += 1
            place = (step.noun, step.name, step.number)
            self.works.append(Work(*place, step.actor, step.code, self.published))
        else:
            work = self.find(step.name, step.noun, step.number)
            if step.act == "vote":
                work.votes[step.actor] = step.value
            elif step.act == "withdraw":
                work.is_withdrawn = True
            else:
                work.acceptable = {1: True, 0: None, -1: False}[step.value]

    def _guards(self, step: Step) -> bool:
        """Published code names it, and it was somebody else's."""
        uses = {use for work in self.works if not work.is_withdrawn for use in work.code.uses}
        last = self.last_owners.get(step.name, step.actor)
        return step.name in uses and step.actor not in (last, STAFF)


class Raised(Exception):
    """A program called something that raises."""


class Reading:
    """What the rules make of a world in which these were elected last."""

    def __init__(self, world: World, elected: Elected) -> None:
        self.world = world
        self.elected = dict(elected)

    def choice(self, name: str) -> Work | None:
        """Return what has been elected, which may have been withdrawn since."""
        number = self.elected.get(name, 0)
        return self.world.find(name, "implementation", number) if number else None

    def reached(self, home: str, uses: Iterable[str]) -> set[str]:
        """Return all names that code of this function leads to, itself if it leads back."""
        found: set[str] = set()
        waiting = others(home, uses)
        while waiting:
            name = waiting.pop()
            choice = self.choice(name)
            if name not in found and name != home and choice:
                waiting += choice.code.uses
            found.add(name)
        return found

    def lacking(self, home: str, uses: Iterable[str]) -> set[str]:
        """Return what of that is missing or not implemented."""
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

    def obstacle(self, work: Work) -> str:
        """Return what keeps an implementation from being judged by its runs, if anything."""
        rivals = self.world.of(work.name, "implementation")
        if work.acceptable is False:
            return "unacceptable"
        if any(each.code == work.code and each.published < work.published for each in rivals):
            return "duplicate"
        if work.name in self.reached(work.name, work.code.uses):
            return "circular"
        return "blocked" if self.lacking(work.name, work.code.uses) else ""

    def standing(self, work: Work) -> str:
        if obstacle := self.obstacle(work):
            return obstacle
        if work.code.fault not in RUNNING:
            return "not_loading"
        return "eligible" if self.passed(work) == len(self.counting(work.name)) else "failing"

    def passed(self, work: Work) -> int:
        """Return how many of the tests that count an implementation passes, if it can be run."""
        home, uses = work.name, work.code.uses
        is_run = home not in self.reached(home, uses) and not self.lacking(home, uses)
        if not is_run or work.code.fault not in RUNNING:
            return 0
        return sum(self._passes(work, test) for test in self.counting(home))

    def winner(self, name: str) -> int:
        """Hold an election."""
        candidates = self.world.of(name, "implementation")
        ranked = sorted(candidates, key=lambda work: (work.score, work.published), reverse=True)
        standings = {work.number: self.standing(work) for work in ranked}
        for work in ranked:
            if standings[work.number] == "eligible":
                return work.number
        if {"failing", "not_loading"} & set(standings.values()):
            return 0
        last = self.elected[name]
        return last if standings.get(last) == "blocked" else 0

    def status(self, name: str) -> str:
        choice = self.choice(name)
        if choice is None:
            return "not_implemented"
        return "blocked" if self.lacking(name, choice.code.uses) else "implemented"

    def outdated(self) -> Iterator[Elected]:
        """Yield what each election makes of this that would change something."""
        for name, number in self.elected.items():
            if (winner := self.winner(name)) != number:
                yield frozenset({**self.elected, name: winner}.items())

    def is_mutual(self) -> bool:
        """Tell whether functions that have elected none may lead to each other."""
        ways = {
            name: {
                use
                for work in ([choice] if choice else self.world.of(name, "implementation"))
                for use in work.code.uses
            }
            for name in self.elected
            for choice in [self.choice(name)]
        }
        return has_circle(ways)

    def _passes(self, candidate: Work, test: Work) -> bool:
        called = [test.name, *others(test.name, test.code.uses)]
        try:
            return sum(self._call(name, candidate) for name in called) % 3 != test.code.value
        except Raised:
            return False

    def _call(self, name: str, candidate: Work) -> int:
        """Return the function's value, where the candidate's function means the candidate."""
        work = candidate if name == candidate.name else self.choice(name)
        if work is None or work.code.fault is Fault.RAISES:
            raise Raised
        return work.code.value + sum(self._call(use, candidate) for use in work.code.uses)


def after(step: Step, elected: Elected) -> Elected:
    """Return what is elected when this has been done, before any election is held."""
    kept = {(name, number) for name, number in elected if name != step.name}
    return {"define": frozenset({*kept, (step.name, 0)}), "delete": frozenset(kept)}.get(
        step.act, elected
    )


@dataclass(frozen=True)
class Course:
    """What elections may lead to, in whatever order they are held."""

    seen: frozenset[Elected]
    ends: frozenset[Elected]  # where none changes anything
    is_ruled: bool  # every order comes to an end, by rules that are written here


def follow(world: World, starts: Iterable[Elected]) -> Course:
    """Hold all elections that would change something, in every order."""
    ways: dict[Elected, set[Elected]] = {}
    waiting = list(starts)
    is_ruled = True
    while waiting:
        elected = waiting.pop()
        if elected not in ways:
            reading = Reading(world, elected)
            is_ruled = is_ruled and not reading.is_mutual()
            ways[elected] = set(reading.outdated())
            waiting += ways[elected]
    ends = frozenset(elected for elected, following in ways.items() if not following)
    return Course(frozenset(ways), ends, is_ruled and not has_circle(ways))


def has_circle(ways: Mapping[Node, set[Node]]) -> bool:
    """Tell whether some way never ends."""
    left = dict(ways)
    while ended := [each for each, following in left.items() if not following & left.keys()]:
        for each in ended:
            del left[each]
    return bool(left)
