"""The sliding puzzle: A* with Manhattan distances, and IDA*."""
import heapq
import random


class Board:
    __slots__ = ("tiles", "size", "_hash")

    def __init__(self, tiles, size=None):
        self.tiles = tuple(tiles)
        self.size = size or round(len(self.tiles) ** 0.5)
        if sorted(self.tiles) != list(range(self.size ** 2)):
            raise ValueError("not a board: %s" % (self.tiles,))
        self._hash = hash(self.tiles)

    @classmethod
    def goal(cls, size=3):
        return cls([*range(1, size * size), 0])

    @classmethod
    def shuffled(cls, size, steps, seed):
        rng, board, last = random.Random(seed), cls.goal(size), None
        for _ in range(steps):
            choices = [(b, m) for m, b in board.neighbours() if m != last]
            board, last = rng.choice(choices)
            last = OPPOSITE[last]
        return board

    def __hash__(self):
        return self._hash

    def __eq__(self, other):
        return type(other) is type(self) and self.tiles == other.tiles

    def __lt__(self, other):
        return self.tiles < other.tiles

    def __getitem__(self, at):
        row, col = at
        return self.tiles[row * self.size + col]

    def neighbours(self):
        blank, n = self.tiles.index(0), self.size
        row, col = divmod(blank, n)
        for move, (dr, dc) in MOVES.items():
            r, c = row + dr, col + dc
            if 0 <= r < n and 0 <= c < n:
                tiles = list(self.tiles)
                other = r * n + c
                tiles[blank], tiles[other] = tiles[other], 0
                yield move, Board(tiles, n)

    @property
    def distance(self):
        total = 0
        for i, tile in enumerate(self.tiles):
            if tile:
                (r, c), (gr, gc) = divmod(i, self.size), divmod(tile - 1, self.size)
                total += abs(r - gr) + abs(c - gc)
        return total

    @property
    def solvable(self):
        tiles = [t for t in self.tiles if t]
        inversions = sum(a > b for i, a in enumerate(tiles) for b in tiles[i + 1:])
        if self.size % 2:
            return inversions % 2 == 0
        return (inversions + self.tiles.index(0) // self.size) % 2 == 1

    def __str__(self):
        w = len(str(len(self.tiles)))
        it = iter(self.tiles)
        return "\n".join(" ".join(f"{next(it) or '':>{w}}" for _ in range(self.size)) for _ in range(self.size))


MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left", None: None}


def astar(start):
    goal = Board.goal(start.size)
    if not start.solvable:
        raise ValueError("unsolvable")
    heap, came = [(start.distance, 0, start)], {start: (None, None, 0)}
    while heap:
        _, cost, board = heapq.heappop(heap)
        if board == goal:
            break
        for move, after in board.neighbours():
            if after not in came or came[after][2] > cost + 1:
                came[after] = move, board, cost + 1
                heapq.heappush(heap, (cost + 1 + after.distance, cost + 1, after))
    moves = []
    while came[board][1] is not None:
        move, board, _ = came[board]
        moves.append(move)
    return moves[::-1]


def ida(start):
    def search(board, path, limit, last):
        least = len(path) + board.distance
        if least > limit:
            return least
        if board.distance == 0:
            return True
        smallest = float("inf")
        for move, after in board.neighbours():
            if move == OPPOSITE[last]:
                continue
            path.append(move)
            found = search(after, path, limit, move)
            if found is True:
                return True
            path.pop()
            smallest = min(smallest, found)
        return smallest

    path, limit = [], start.distance
    while (limit := search(start, path, limit, None)) is not True:
        pass
    return path


def apply(board, moves):
    for move in moves:
        board = dict(board.neighbours())[move]
    return board


for seed in range(4):
    board = Board.shuffled(3, 20, seed)
    moves = astar(board)
    assert apply(board, moves) == Board.goal(3)
    assert len(ida(board)) == len(moves) <= 20 and len(moves) % 2 == 0
big = Board.shuffled(4, 16, seed=15)
assert apply(big, ida(big)) == Board.goal(4) and big.solvable
print(big, *ida(big), sep="\n")
twisted = Board((1, 2, 3, 4, 5, 6, 8, 7, 0))
assert not twisted.solvable and twisted[2, 0] == 8
assert str(Board.goal(2)) == "1 2\n3  " and Board.goal(2) != Board.goal(3)
for wrong in (lambda: astar(twisted), lambda: Board([1, 2, 3, 3])):
    try:
        wrong()
    except ValueError as e:
        print(e)
    else:
        assert False
