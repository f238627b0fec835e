"""How one text becomes another, line by line."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import groupby, takewhile, zip_longest

# Looking for equal lines takes about as long as there are pairs of them; where code repeats itself
# beyond that, all of it counts as changed.
MOST_EQUAL_PAIRS = 30_000
LINES_AROUND = 3


class Op(StrEnum):
    """What becomes of a line."""

    SAME = "same"
    DEL = "del"
    ADD = "add"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the old text, of the new one, or of both; places count from 1."""

    op: Op
    old: int | None
    new: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two lines side by side; beside what has no other half there is nothing."""

    old: Line | None
    new: Line | None


@dataclass(frozen=True, slots=True)
class Fold:
    """Unchanged lines that are not shown."""

    count: int


@dataclass(frozen=True, slots=True)
class Difference:
    """All lines of both texts, in an order that reads as one: the deleted before the added."""

    lines: tuple[Line, ...]

    @property
    def added(self) -> int:
        return sum(line.op == Op.ADD for line in self.lines)

    @property
    def deleted(self) -> int:
        return sum(line.op == Op.DEL for line in self.lines)

    @property
    def is_none(self) -> bool:
        return all(line.op == Op.SAME for line in self.lines)


def lines_of(text: str) -> list[str]:
    """Split a text at its line ends, of whatever kind; one at its very end ends the last line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def compare(old: Sequence[str], new: Sequence[str]) -> Difference:
    """Find what was deleted and added between two lists of lines."""
    lines: list[Line] = []
    for op, a, b, c, d in _changes(old, new):
        if op == "equal":
            lines += [Line(Op.SAME, a + n + 1, c + n + 1, old[a + n]) for n in range(b - a)]
        else:
            lines += [Line(Op.DEL, n + 1, None, old[n]) for n in range(a, b)]
            lines += [Line(Op.ADD, None, n + 1, new[n]) for n in range(c, d)]
    return Difference(tuple(lines))


def _changes(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    """Return the steps from one to the other, as `SequenceMatcher.get_opcodes` does."""
    head = _count_equal(zip(old, new, strict=False))
    rest = min(len(old), len(new)) - head
    tail = min(rest, _count_equal(zip(reversed(old), reversed(new), strict=False)))
    middle, other = old[head : len(old) - tail], new[head : len(new) - tail]
    steps: list[tuple[str, int, int, int, int]] = [("replace", 0, len(middle), 0, len(other))]
    if _equal_pairs(middle, other) <= MOST_EQUAL_PAIRS:
        steps = [*SequenceMatcher(None, middle, other, autojunk=False).get_opcodes()]
    moved = [(op, a + head, b + head, c + head, d + head) for op, a, b, c, d in steps]
    end, other_end = len(old) - tail, len(new) - tail
    return [
        ("equal", 0, head, 0, head),
        *moved,
        ("equal", end, len(old), other_end, len(new)),
    ]


def _count_equal(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _equal_pairs(old: Sequence[str], new: Sequence[str]) -> int:
    counts = Counter(new)
    return sum(times * counts[line] for line, times in Counter(old).items())


def fold(lines: Sequence[Line], around: int = LINES_AROUND) -> list[Line | Fold]:
    """Leave out what is far from any change; a single line is not worth it."""
    shown: set[int] = set()
    for place, line in enumerate(lines):
        if line.op != Op.SAME:
            shown.update(range(place - around, place + around + 1))
    folded: list[Line | Fold] = []
    for is_shown, group in groupby(range(len(lines)), key=shown.__contains__):
        places = list(group)
        if is_shown or len(places) == 1:
            folded += [lines[place] for place in places]
        else:
            folded.append(Fold(len(places)))
    return folded


def side_by_side(shown: Sequence[Line | Fold]) -> list[Pair | Fold]:
    """Pair the lines: what is unchanged with itself, deleted with added lines as far as they go."""
    pairs: list[Pair | Fold] = []
    for is_changed, group in groupby(shown, key=_is_changed):
        lines = list(group)
        if is_changed:
            deleted = [line for line in lines if isinstance(line, Line) and line.op == Op.DEL]
            added = [line for line in lines if isinstance(line, Line) and line.op == Op.ADD]
            pairs += [Pair(*pair) for pair in zip_longest(deleted, added)]
        else:
            pairs += [Pair(line, line) if isinstance(line, Line) else line for line in lines]
    return pairs


def _is_changed(shown: Line | Fold) -> bool:
    return isinstance(shown, Line) and shown.op != Op.SAME
