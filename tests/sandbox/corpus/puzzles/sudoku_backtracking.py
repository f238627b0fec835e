"""A sudoku solver that always fills the most constrained cell."""
from itertools import product
from typing import Iterator, Optional

Cell = tuple[int, int]


class Contradiction(Exception):
    pass


class Sudoku:
    def __init__(self, text: str) -> None:
        cells = [c for c in text if c in "123456789.0"]
        if len(cells) != 81:
            raise ValueError(f"expected 81 cells, found {len(cells)}")
        self.grid: dict[Cell, int] = {}
        self.options: dict[Cell, set[int]] = {
            cell: set(range(1, 10)) for cell in product(range(9), repeat=2)
        }
        for cell, c in zip(self.options.copy(), cells):
            if c not in ".0":
                self.place(cell, int(c))

    @staticmethod
    def peers(cell: Cell) -> Iterator[Cell]:
        row, col = cell
        top, left = row // 3 * 3, col // 3 * 3
        for i in range(9):
            yield row, i
            yield i, col
            yield top + i // 3, left + i % 3

    def place(self, cell: Cell, digit: int) -> None:
        if digit not in self.options.get(cell, ()):
            raise Contradiction(f"{digit} doesn't fit at {cell}")
        del self.options[cell]
        self.grid[cell] = digit
        for peer in self.peers(cell):
            if (left := self.options.get(peer)) is not None:
                left.discard(digit)
                if not left:
                    raise Contradiction(f"nothing fits at {peer}")

    def copy(self) -> "Sudoku":
        twin = object.__new__(type(self))
        twin.grid = self.grid.copy()
        twin.options = {cell: set(digits) for cell, digits in self.options.items()}
        return twin

    def solutions(self) -> Iterator["Sudoku"]:
        if not self.options:
            yield self
            return
        cell = min(self.options, key=lambda c: (len(self.options[c]), c))
        for digit in sorted(self.options[cell]):
            attempt = self.copy()
            try:
                attempt.place(cell, digit)
            except Contradiction:
                continue
            yield from attempt.solutions()

    def solve(self) -> Optional["Sudoku"]:
        return next(self.solutions(), None)

    def __getitem__(self, cell: Cell) -> int:
        return self.grid.get(cell, 0)

    def __str__(self) -> str:
        lines = []
        for row in range(9):
            if row in (3, 6):
                lines.append("------+-------+------")
            digits = [str(self[row, col] or ".") for col in range(9)]
            lines.append(" | ".join(" ".join(digits[i:i + 3]) for i in (0, 3, 6)))
        return "\n".join(lines)


PUZZLE = """
53..7....  6..195...  .98....6.
8...6...3  4..8.3..1  7...2...6
.6....28.  ...419..5  ....8..79
"""

if __name__ == "__main__":
    puzzle = Sudoku(PUZZLE)
    assert puzzle[0, 0] == 5 and puzzle[0, 2] == 0
    found = list(puzzle.solutions())
    assert len(found) == 1
    answer = found[0]
    print(answer)
    assert str(answer).splitlines()[0] == "5 3 4 | 6 7 8 | 9 1 2"
    for row in range(9):
        assert {answer[row, c] for c in range(9)} == set(range(1, 10))
        assert {answer[c, row] for c in range(9)} == set(range(1, 10))
    assert len(puzzle.grid) == 30 and len(answer.grid) == 81, "the puzzle itself stays as it was"
    try:
        Sudoku("11" + "." * 79)
    except Contradiction as e:
        assert str(e).startswith("1 doesn't fit")
    try:
        Sudoku("123")
    except ValueError as e:
        assert "found 3" in str(e)
