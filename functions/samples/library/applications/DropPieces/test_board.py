EMPTY = [0] * 7


def test_no_moves():
    assert DropPieces([]) == [EMPTY] * 6


def test_pieces_lie_on_each_other():
    assert DropPieces([3, 3, 0]) == [EMPTY] * 4 + [[0, 0, 0, 2, 0, 0, 0], [1, 0, 0, 1, 0, 0, 0]]
