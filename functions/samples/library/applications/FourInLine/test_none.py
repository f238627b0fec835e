def test_empty():
    assert FourInLine([[0] * 7] * 6) == []
    assert FourInLine([]) == []


def test_three():
    assert FourInLine([[1, 1, 1, 0, 1]]) == []


def test_of_both_players():
    assert FourInLine([[1, 1, 2, 1, 1, 2, 2, 2, 1]]) == []


def test_around_an_edge():
    assert FourInLine([[0, 0, 0, 1, 1], [1, 1, 0, 0, 0]]) == []
