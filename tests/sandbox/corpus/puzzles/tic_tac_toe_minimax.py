"""Noughts and crosses that can't be beaten."""
from functools import lru_cache

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class IllegalMove(Exception):
    pass


@lru_cache(maxsize=None)
def winner_of(cells):
    for a, b, c in LINES:
        if cells[a] == cells[b] == cells[c] != " ":
            return cells[a]
    return None


class Board(str):
    """An immutable board: nine letters."""

    EMPTY = " "

    def __new__(cls, cells=" " * 9):
        return super().__new__(cls, cells)

    @property
    def turn(self):
        return "X" if self.count("X") == self.count("O") else "O"

    @property
    def moves(self):
        return [i for i, c in enumerate(self) if c == self.EMPTY]

    @property
    def winner(self):
        return winner_of(self)

    @property
    def over(self):
        return self.winner is not None or not self.moves

    def play(self, move):
        if self.over:
            raise IllegalMove("the game is over")
        if self[move] != self.EMPTY:
            raise IllegalMove("%d is taken" % move)
        return Board(self[:move] + self.turn + self[move + 1:])

    def show(self):
        rows = (" | ".join(self[i:i + 3]) for i in range(0, 9, 3))
        return "\n--+---+--\n".join(rows)


@lru_cache(maxsize=None)
def value(board):
    """+1 if X wins with the best play of both, -1 if O does."""
    if (w := board.winner):
        return 1 if w == "X" else -1
    best = None
    for m in (moves := board.moves):
        v = value(board.play(m))
        if v == (1 if board.turn == "X" else -1):
            return v
        best = v if best is None else (max if board.turn == "X" else min)(best, v)
    return best if moves else 0


def best_move(board):
    choose = max if board.turn == "X" else min
    return choose(board.moves, key=lambda m: value(board.play(m)))


def match(x, o):
    board = Board()
    while not board.over:
        player = x if board.turn == "X" else o
        board = board.play(player(board))
    return board


def every_game(board, player="O"):
    """All the games in which the player follows best_move and the other one anything."""
    if board.over:
        yield board
        return
    for move in [best_move(board)] if board.turn == player else board.moves:
        yield from every_game(board.play(move), player)


start = Board()
assert start.turn == "X" and start.moves == [*range(9)] and not start.over
assert value(start) == 0
assert best_move(Board("XX OO    ")) == 2
assert best_move(Board("X   O   X")) in (1, 3, 5, 7)

draw = match(best_move, best_move)
print(draw.show())
assert draw.winner is None and draw.over

results = {board.winner for board in every_game(start, "O")}
assert "X" not in results and results <= {"O", None}
first = match(lambda b: b.moves[0], best_move)
last = match(best_move, lambda b: b.moves[-1])
assert last.winner == "X" and first.winner in ("O", None)

won = Board("XXXOO    ")
assert won.winner == "X"
for board, move in ((won, 8), (start.play(4), 4)):
    try:
        board.play(move)
    except IllegalMove as e:
        print(e)
    else:
        raise AssertionError("that was illegal")
assert value.cache_info().currsize < 6000
