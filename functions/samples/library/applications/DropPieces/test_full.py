board = DropPieces([column for column in range(7) for _ in range(6)])
assert len(board) == 6
assert all(len(row) == 7 and all(row) for row in board)
assert sum(map(sum, board)) == 21 * 1 + 21 * 2
