def FourInLine(board):
    height, width = len(board), len(board[0]) if board else 0
    found = set()
    for row in range(height):
        for column in range(width):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + i * down, column + i * right) for i in range(4)]
                if all(0 <= r < height and 0 <= c < width for r, c in cells):
                    pieces = {board[r][c] for r, c in cells}
                    if len(pieces) == 1 and pieces != {0}:
                        found |= set(cells)
    return [[r, c] for r, c in sorted(found)]
