def line(*cells, size=(6, 7), piece=1):
    board = [[0] * size[1] for _ in range(size[0])]
    for row, column in cells:
        board[row][column] = piece
    return FourInLine(board)


def test_directions():
    for down, right in ((0, 1), (1, 0), (1, 1)):
        cells = [[1 + down * i, 2 + right * i] for i in range(4)]
        assert line(*cells) == cells
    assert line((5, 0), (4, 1), (3, 2), (2, 3), piece=2) == [[2, 3], [3, 2], [4, 1], [5, 0]]


def test_corners():
    assert line((5, 3), (5, 4), (5, 5), (5, 6)) == [[5, 3], [5, 4], [5, 5], [5, 6]]
    assert line((2, 6), (3, 6), (4, 6), (5, 6)) == [[2, 6], [3, 6], [4, 6], [5, 6]]


def test_a_board_of_another_size():
    assert len(line(*((0, i) for i in range(9)), size=(1, 9))) == 9
