"""What people may wish to do to the functions of a tiny world, at random."""

from collections import Counter
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.support.rulebook.tiny_world import STAFF, Code, Fault, Step, World, others

NAMES = ("Ash", "Beech", "Cedar")
PEOPLE = ("olga", "otto", "ida", "ivan", STAFF)
OWNERS = ("olga", "otto", "ida")


@dataclass(frozen=True)
class Wish:
    """What somebody would like to do; `pick` is a number for one of what there is to choose."""

    act: str
    who: str  # nobody: whoever may
    name: str
    pick: int
    code: Code
    value: int
    is_followed: bool  # by something else at once, while its elections are under way

    def step(self, world: World) -> Step | None:
        """Return what that comes to in this world, if anything."""
        if self.act == "define" or self.name not in world.owners:
            return Step("define", self.who or OWNERS[self.pick % 2], self.name)
        if self.act in ("delete", "archive"):
            return Step(self.act, self.who or world.owners[self.name], self.name)
        if self.act == "transfer":
            receiver = OWNERS[self.pick % len(OWNERS)]
            return Step("transfer", self.who or STAFF, self.name, other=receiver)
        if self.act in ("implementation", "test", "acceptance"):
            return self._publication(world)
        works = [work for work in world.works if self.act == "withdraw" or not work.target]
        if not works:
            return None
        work = works[self.pick % len(works)]
        owner = world.owners[work.name]
        author = owner if work.target else work.author
        who = self.who or {"vote": "vera", "withdraw": author}.get(self.act, owner)
        return Step(self.act, who, work.name, work.noun, work.number, value=self.value)

    def _publication(self, world: World) -> Step:
        uses, target, author = self.code.uses, "", ("ida", "ivan")[self.pick % 3 == 0]
        if self.act == "implementation":  # recursion needs no marker, and has none
            uses = tuple(others(self.name, uses))
        elif self.act == "test":
            author = (author, world.owners[self.name])[self.pick % 2]
        elif self.act == "acceptance":
            implementations = world.of(self.name, "implementation")
            named = {use for work in implementations for use in work.code.uses}
            targets = sorted(named) or others(self.name, NAMES)
            target = targets[self.pick % len(targets)]
            uses, author = tuple(others(target, uses)), world.owners[self.name]
        code = Code(uses, self.code.value, self.code.fault)
        number = 1 + sum((w.name, w.noun) == (self.name, self.act) for w in world.works)
        who = self.who or author
        return Step("publish", who, self.name, self.act, number, code, other=target)


ACTS = {
    "implementation": 6,
    "test": 6,
    "acceptance": 4,
    "vote": 4,
    "judge": 3,
    "withdraw": 4,
    "delete": 2,
    "archive": 2,
    "transfer": 2,
}
CODES = st.builds(
    Code,
    st.sets(st.sampled_from(NAMES), max_size=2).map(lambda uses: tuple(sorted(uses))),
    st.integers(0, 2),
    st.sampled_from([*[Fault.NONE] * 25, *Fault]),
)
WISHES = st.builds(
    Wish,
    act=st.sampled_from(["define", *Counter(ACTS).elements()]),
    who=st.sampled_from([*[""] * 15, *PEOPLE]),
    name=st.sampled_from(NAMES),
    pick=st.integers(0, 30),
    code=CODES,
    value=st.sampled_from([1, -1, 0]),
    is_followed=st.sampled_from([False, False, False, True]),
)
# Everything is there at first, and has been implemented somehow.
BEGINNINGS = st.tuples(*[CODES for _ in NAMES]).map(
    lambda codes: [
        Wish(act, "", name, 0, code, 0, is_followed=True)
        for act in ("define", "implementation")
        for name, code in zip(NAMES, codes, strict=True)
    ]
)


def _chase(names: list[str], size: int) -> list[Wish]:
    """Have functions want to be as the one before them, and the first to differ from the last.

    Each may be 0 or 1, and sums of two that are forbidden say which. All is done by the owner.
    """
    wishes: list[Wish] = []
    for name in names[:size]:
        for value in (0, 1):
            code = Code((), value)
            wishes.append(Wish("implementation", "olga", name, 0, code, 0, is_followed=True))
    for place, name in enumerate(names[:size]):
        former = names[:size][place - 1]
        for forbidden in (1,) if place else (0, 2):
            code = Code((former,), forbidden)
            wishes.append(Wish("test", "olga", name, 0, code, 0, is_followed=True))
    return wishes


# Now and then some chase each other.
CHASES = st.builds(_chase, st.permutations(NAMES), st.sampled_from([0, 0, 0, 2, 3]))
