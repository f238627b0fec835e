"""2048 on lists of lists, in a beginner's way."""
import random

SIZE = 4
score = 0
generator = random.Random(2048)


def new_board():
    board = []
    for i in range(SIZE):
        board.append([0] * SIZE)
    return board


def slide_left(row):
    global score
    tiles = [x for x in row if x != 0]
    result = []
    i = 0
    while i < len(tiles):
        if i + 1 < len(tiles) and tiles[i] == tiles[i + 1]:
            result.append(tiles[i] * 2)
            score += tiles[i] * 2
            i += 2
        else:
            result.append(tiles[i])
            i += 1
    while len(result) < SIZE:
        result.append(0)
    return result


def transpose(board):
    return [list(column) for column in zip(*board)]


def mirror(board):
    return [row[::-1] for row in board]


def move(board, direction):
    if direction == "left":
        return [slide_left(row) for row in board]
    elif direction == "right":
        return mirror(move(mirror(board), "left"))
    elif direction == "up":
        return transpose(move(transpose(board), "left"))
    elif direction == "down":
        return transpose(move(transpose(board), "right"))
    else:
        raise ValueError("unknown direction: " + str(direction))


def empty_cells(board):
    cells = []
    for r in range(SIZE):
        for c in range(SIZE):
            if board[r][c] == 0:
                cells.append((r, c))
    return cells


def add_tile(board):
    r, c = generator.choice(empty_cells(board))
    board[r][c] = 4 if generator.random() < 0.1 else 2


def can_move(board):
    global score
    saved = score
    try:
        for direction in ["left", "right", "up", "down"]:
            if move(board, direction) != board:
                return True
        return False
    finally:
        score = saved


def largest(board):
    return max(max(row) for row in board)


def show(board):
    line = "+" + "------+" * SIZE
    print(line)
    for row in board:
        print("|" + "|".join(str(x or "").center(6) for x in row) + "|")
        print(line)


# --- checks of the parts -----------------------------------------------------
assert slide_left([2, 2, 4, 0]) == [4, 4, 0, 0]
assert slide_left([2, 2, 2, 2]) == [4, 4, 0, 0]
assert slide_left([4, 0, 2, 2]) == [4, 4, 0, 0]
assert slide_left([0, 0, 0, 2]) == [2, 0, 0, 0]
assert score == 4 + 8 + 4
b = new_board()
b[0][0] = 2
b[3][0] = 2
assert move(b, "up")[0][0] == 4
assert move(b, "down")[3] == [4, 0, 0, 0]
assert move(b, "right")[0] == [0, 0, 0, 2]
assert b[0][0] == 2, "moves don't change the board itself"
stuck = [[2, 4, 2, 4], [4, 2, 4, 2]] * 2
assert not can_move(stuck)
stuck[0][0] = 0
assert can_move(stuck)
try:
    move(b, "sideways")
except ValueError as e:
    assert str(e).endswith("sideways")

# --- a whole game ------------------------------------------------------------------
score = 0
board = new_board()
add_tile(board)
add_tile(board)
moves = 0
while can_move(board) and moves < 400:
    for direction in ["down", "left", "right", "up"]:
        after = move(board, direction) if moves % 7 else move(board, "left")
        if after != board:
            board = after
            add_tile(board)
            break
    moves += 1
show(board)
print("score: %d, largest: %d, moves: %d" % (score, largest(board), moves))
assert largest(board) >= 32
assert all(x == 0 or x & (x - 1) == 0 for row in board for x in row)
