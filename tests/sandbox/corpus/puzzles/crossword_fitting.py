# Fit a list of words into an empty crossword grid.
from collections import defaultdict

GRID = """
......#
.####.#
.#.....
.#.##.#
...##.#
.####.#
.......
"""

WORDS = """planet pianist twitter audio ask ink theatre
music ice man trumpet banjos xylem sun trapper"""


class Slot:
    def __init__(self, number, cells, across):
        self.number = number
        self.cells = cells
        self.across = across

    def __len__(self):
        return len(self.cells)

    def __str__(self):
        return "%d %s" % (self.number, self.across and "across" or "down")

    __repr__ = __str__


class Crossword:
    def __init__(self, text):
        self.rows = text.split()
        self.letters = {}
        self.slots = []
        self._find_slots()
        self._slots_at = defaultdict(list)
        for slot in self.slots:
            for cell in slot.cells:
                self._slots_at[cell].append(slot)

    def _white(self, r, c):
        return 0 <= r < len(self.rows) and 0 <= c < len(self.rows[0]) and self.rows[r][c] != "#"

    def _run(self, r, c, dr, dc):
        cells = []
        while self._white(r, c):
            cells.append((r, c))
            r += dr
            c += dc
        return cells

    def _find_slots(self):
        number = 0
        for r, row in enumerate(self.rows):
            for c in range(len(row)):
                starts = []
                for dr, dc in (0, 1), (1, 0):
                    if self._white(r, c) and not self._white(r - dr, c - dc):
                        cells = self._run(r, c, dr, dc)
                        if len(cells) > 1:
                            starts.append((cells, dc == 1))
                if starts:
                    number += 1
                    self.slots += [Slot(number, cells, across) for cells, across in starts]

    def fits(self, slot, word):
        return len(slot) == len(word) and all(
            self.letters.get(cell, letter) == letter for cell, letter in zip(slot.cells, word)
        )

    def fill(self, words):
        """Yield every way of putting all words in; the letters stay while you look."""
        yield from self._fill(self.slots, frozenset(words), {})

    def _fill(self, empty, words, placed):
        if not empty:
            yield dict(placed)
            return
        options = {slot: [w for w in words if self.fits(slot, w)] for slot in empty}
        slot = min(options, key=lambda s: (len(options[s]), -len(s), s.number))
        for word in sorted(options[slot]):
            before = self.letters.copy()
            self.letters.update(zip(slot.cells, word))
            placed[slot] = word
            yield from self._fill([s for s in empty if s is not slot], words - {word}, placed)
            del placed[slot]
            self.letters = before

    def crossings(self):
        return {cell: slots for cell, slots in self._slots_at.items() if len(slots) == 2}

    def show(self):
        lines = []
        for r, row in enumerate(self.rows):
            lines.append("".join("#" if x == "#" else self.letters.get((r, c), "_") for c, x in enumerate(row)))
        return "\n".join(lines)


puzzle = Crossword(GRID)
by_name = {str(s): s for s in puzzle.slots}
assert list(map(str, puzzle.slots)) == ["1 across", "1 down", "2 down", "3 across", "3 down", "4 across", "5 across"], puzzle.slots
assert [len(s) for s in puzzle.slots] == [6, 7, 7, 5, 3, 3, 7]
assert len(puzzle.crossings()) == 8 and len(puzzle.crossings()[0, 0]) == 2

words = WORDS.split()
assert not puzzle.fits(by_name["3 down"], "planet")
solutions = 0
picture = None
for answer in puzzle.fill(words):
    solutions += 1
    assert len(set(answer.values())) == 7 and answer[by_name["3 across"]] == "audio"
    picture = puzzle.show()
assert solutions == 1
print(picture)
assert picture.split()[2] == "a#audio" and picture.endswith("theatre")
assert puzzle.letters == {}, "everything is taken back after the search"
assert sum(1 for _ in puzzle.fill([*words, "ion", "man"])) == 2
assert list(puzzle.fill(["planet", "pianist"])) == []
