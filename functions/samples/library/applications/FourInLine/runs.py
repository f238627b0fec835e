_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def FourInLine(board):
    pieces = {(r, c): piece for r, row in enumerate(board) for c, piece in enumerate(row) if piece}
    found = set()
    for (r, c), piece in pieces.items():
        for down, right in _DIRECTIONS:
            if pieces.get((r - down, c - right)) == piece:
                continue  # the run began before
            run = []
            while pieces.get((r + down * len(run), c + right * len(run))) == piece:
                run.append((r + down * len(run), c + right * len(run)))
            if len(run) >= 4:
                found.update(run)
    return [list(cell) for cell in sorted(found)]
