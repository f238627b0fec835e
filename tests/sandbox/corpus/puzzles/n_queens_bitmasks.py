# n queens: bit masks, permutations, symmetric solutions, and min-conflicts
import random
from itertools import permutations


def count(n, row=0, cols=0, left=0, right=0):
    if row == n:
        return 1
    total, free = 0, ~(cols | left | right) & (1 << n) - 1
    while free:
        bit = free & -free
        free ^= bit
        total += count(n, row + 1, cols | bit, (left | bit) << 1, (right | bit) >> 1)
    return total


def by_permutations(n):
    return [
        p for p in permutations(range(n))
        if len({c + r for r, c in enumerate(p)}) == n == len({c - r for r, c in enumerate(p)})
    ]


def place(n, queens=()):
    if len(queens) == n:
        yield queens
    for c in range(n) if len(queens) < n else ():
        if all(c != q and abs(c - q) != len(queens) - r for r, q in enumerate(queens)):
            yield from place(n, (*queens, c))


def rotate(board):
    return tuple(len(board) - 1 - board.index(i) for i in range(len(board)))


def symmetries(board):
    for b in (board, board[::-1]):
        for _ in range(4):
            yield b
            b = rotate(b)


def fundamental(n):
    return {min(symmetries(b)) for b in place(n)}


def min_conflicts(n, seed):
    rng = random.Random(seed)
    board = list(range(n))
    rng.shuffle(board)

    def attacks(row, col):
        return sum(
            1 for r in range(n)
            if r != row and (board[r] == col or abs(board[r] - col) == abs(r - row))
        )

    for step in range(10_000):
        bad = [r for r in range(n) if attacks(r, board[r])]
        if not bad:
            return step, tuple(board)
        r = rng.choice(bad)
        scores = [attacks(r, c) for c in range(n)]
        least = min(scores)
        board[r] = rng.choice([c for c, s in enumerate(scores) if s == least])
    raise RuntimeError("no luck")


def show(board):
    n = len(board)
    return "\n".join(" ".join(".Q"[c == q] for c in range(n)) for q in board)


assert [count(n) for n in range(1, 9)] == [1, 0, 0, 2, 10, 4, 40, 92]
assert by_permutations(6) == list(place(6))
assert len(list(place(7))) == 40
assert [len(fundamental(n)) for n in range(4, 8)] == [1, 2, 1, 6]
assert rotate(rotate(rotate(rotate((1, 3, 0, 2))))) == (1, 3, 0, 2)
assert show(next(place(4))) == ". Q . .\n. . . Q\nQ . . .\n. . Q ."
steps, board = min_conflicts(12, seed=4)
assert sorted(board) == list(range(12))
assert len({r + c for r, c in enumerate(board)}) == 12
print(show(board), f"after {steps} steps", sep="\n")
