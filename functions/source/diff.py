"""Line-by-line differences of two texts."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import groupby, takewhile, zip_longest

# Lines that occur once in both texts are matched first, which is fast. Between two of these,
# matching takes up to (lines times pairs of equal lines) comparisons; above this limit in total,
# the rest counts as changed.
MAX_COMPARISONS = 4_000_000
LINES_AROUND = 3

Step = tuple[str, int, int, int, int]  # operation; start and end in the old text and in the new one
Place = tuple[int, int, int, int]  # start and end in the old text, and in the new one


class Op(StrEnum):
    """The kind of a line in a difference."""

    SAME = "same"
    DEL = "del"
    ADD = "add"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the old text, the new one, or both; line numbers start at 1."""

    op: Op
    old: int | None
    new: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two lines side by side; None where one side has no counterpart."""

    old: Line | None
    new: Line | None


@dataclass(frozen=True, slots=True)
class Fold:
    """A number of unchanged lines that are not shown."""

    count: int


@dataclass(frozen=True, slots=True)
class Difference:
    """All lines of both texts in reading order, deleted before added ones."""

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
    """Split a text at line ends of any kind; a final line end doesn't start another line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def compare(old: Sequence[str], new: Sequence[str]) -> Difference:
    """Return the difference between two lists of lines."""
    lines: list[Line] = []
    for op, a, b, c, d in _changes(old, new):
        if op == "equal":
            lines += [Line(Op.SAME, a + n + 1, c + n + 1, old[a + n]) for n in range(b - a)]
        else:
            lines += [Line(Op.DEL, n + 1, None, old[n]) for n in range(a, b)]
            lines += [Line(Op.ADD, None, n + 1, new[n]) for n in range(c, d)]
    return Difference(tuple(lines))


def _changes(old: Sequence[str], new: Sequence[str]) -> list[Step]:
    """Return the edit steps, in the form of `SequenceMatcher.get_opcodes`."""
    steps: list[Step] = []
    left = MAX_COMPARISONS
    a = c = 0
    for b, d in [*_anchors(old, new), (len(old), len(new))]:
        left -= _compare_between(old, new, (a, b, c, d), left, steps)
        a, c = b, d
    return steps


def _compare_between(
    old: Sequence[str], new: Sequence[str], place: Place, left: int, steps: list[Step]
) -> int:
    """Append the steps for one place, and return the number of comparisons used.

    If it takes more than `left`, everything between equal ends counts as changed.
    """
    a, b, c, d = place
    head = _count_equal(old, new, zip(range(a, b), range(c, d), strict=False))
    backward = zip(range(b - 1, a + head - 1, -1), range(d - 1, c + head - 1, -1), strict=False)
    tail = _count_equal(old, new, backward)
    first, second = old[a + head : b - tail], new[c + head : d - tail]
    cost = min(len(first), len(second)) * (len(second) + _equal_pairs(first, second))
    inner: list[Step] = [("replace", 0, len(first), 0, len(second))]
    if cost <= left:
        inner = [*SequenceMatcher(None, first, second, autojunk=False).get_opcodes()]
    steps.append(("equal", a, a + head, c, c + head))
    steps += [
        (op, w + a + head, x + a + head, y + c + head, z + c + head) for op, w, x, y, z in inner
    ]
    steps.append(("equal", b - tail, b, d - tail, d))
    return cost if cost <= left else 0


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of equal lines that occur once in both texts: the longest ordered selection."""
    counts, others = Counter(old), Counter(new)
    where = {line: place for place, line in enumerate(new) if others[line] == 1}
    shared = [(n, where[line]) for n, line in enumerate(old) if counts[line] == 1 and line in where]
    # Longest increasing subsequence: for each length so far, the one with the lowest end.
    ends: list[int] = []
    chains: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(shared):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        chains[length : length + 1] = [number]
        before.append(chains[length - 1] if length else -1)
    found = []
    number = chains[-1] if chains else -1
    while number >= 0:
        found.append(shared[number])
        number = before[number]
    return found[::-1]


def _count_equal(old: Sequence[str], new: Sequence[str], places: Iterable[tuple[int, int]]) -> int:
    return sum(1 for _ in takewhile(lambda place: old[place[0]] == new[place[1]], places))


def _equal_pairs(old: Sequence[str], new: Sequence[str]) -> int:
    counts = Counter(new)
    return sum(times * counts[line] for line, times in Counter(old).items())


def fold(lines: Sequence[Line], around: int = LINES_AROUND) -> list[Line | Fold]:
    """Replace unchanged lines far from any change by folds, except single lines."""
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
    """Pair unchanged lines with themselves, and deleted lines with added ones in order."""
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
