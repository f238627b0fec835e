def test_five_in_a_row():
    assert FourInLine([[0, 2, 2, 2, 2, 2]]) == [[0, column] for column in range(1, 6)]


def test_a_row_and_a_column():
    board = [[1, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
    assert FourInLine(board) == [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [2, 0], [3, 0]]
