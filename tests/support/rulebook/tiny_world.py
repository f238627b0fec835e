"""A world of tiny programs, and what people may do in it: the model's, apart from elections.

What a work does is declared. Its text follows from that, and so does what it comes to.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto

STAFF = "sue"
DEPTH = 3  # so often calls go on to what is used: also where they go round


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
        terms += [f"(depth and {use}(depth - 1))" for use in self.uses]
        head = {Fault.UNLOADABLE: "raise ValueError\n", Fault.FORBIDDEN: "import socket\n"}
        body = f"def {defined}(depth={DEPTH}):\n    return {' + '.join(terms)}\n"
        return head.get(self.fault, "") + self._markers() + body

    def testing(self, name: str) -> str:
        """Return the text of a test of this function."""
        head = "" if self.fault is Fault.NONE else "import socket\n"
        calls = " + ".join(f"{each}()" for each in (name, *others(name, self.uses)))
        return f"{head}{self._markers()}assert ({calls}) % 3 != {self.value}\n"

    def _markers(self) -> str:
        return "".join(f"# <<{use}>>\n" for use in self.uses)


def others(name: str, uses: Iterable[str]) -> list[str]:
    """Return what is used apart from the function itself."""
    return [use for use in uses if use != name]


@dataclass
class Work:
    """A published implementation, test or acceptance test."""

    noun: str
    name: str  # of its function
    number: int
    author: str
    code: Code
    published: int  # later ones have higher numbers
    target: str = ""  # of an acceptance test: the function that it is about
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
    other: str = ""  # who is to own it, or what an acceptance test is about


@dataclass
class World:
    """All that was published, and who owns and owned what."""

    owners: dict[str, str] = field(default_factory=dict)
    last_owners: dict[str, str] = field(default_factory=dict)  # of what was deleted
    archived: set[str] = field(default_factory=set)
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
        if step.act == "define":
            return step.name not in self.owners and not self._guards(step)
        is_owner = step.actor in (self.owners[step.name], STAFF)
        is_open = step.name not in self.archived
        if step.act == "publish":
            return is_open and (step.noun != "acceptance" or (is_owner and self._depends(step)))
        if step.act in ("delete", "archive"):
            return is_owner
        if step.act == "transfer":
            return step.actor == STAFF and step.other != self.owners[step.name]
        work = self.find(step.name, step.noun, step.number)
        if step.act == "vote":
            return is_open and step.actor != work.author and not work.is_withdrawn
        is_authors = step.act == "withdraw" and step.noun != "acceptance"
        may = step.actor == work.author if is_authors else is_owner
        return may and not work.is_withdrawn

    def take(self, step: Step) -> None:
        """Let it be done."""
        if step.act in ("define", "transfer"):
            self.owners[step.name] = step.other or step.actor
        elif step.act == "delete":
            self.last_owners[step.name] = self.owners.pop(step.name)
            self.works = [work for work in self.works if work.name != step.name]
            self.archived.discard(step.name)
        elif step.act == "archive":  # or no more
            self.archived ^= {step.name}
        elif step.act == "publish":
            self.published += 1
            place = (step.noun, step.name, step.number)
            self.works.append(Work(*place, step.actor, step.code, self.published, step.other))
        else:
            work = self.find(step.name, step.noun, step.number)
            if step.act == "vote":
                work.votes[step.actor] = step.value
            elif step.act == "withdraw":
                work.is_withdrawn = True
            else:
                work.acceptable = {1: True, 0: None, -1: False}[step.value]

    def _depends(self, step: Step) -> bool:
        """Some implementation names what the acceptance test is about, and that is there."""
        implementations = self.of(step.name, "implementation")
        is_named = any(step.other in work.code.uses for work in implementations)
        return is_named and step.other in self.owners

    def _guards(self, step: Step) -> bool:
        """Published code names it, and it was somebody else's."""
        published = [work for work in self.works if not work.is_withdrawn]
        uses = {use for work in published for use in (*work.code.uses, work.target)}
        last = self.last_owners.get(step.name, step.actor)
        return step.name in uses and step.actor not in (last, STAFF)
