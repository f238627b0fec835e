def state(moves, second="ben"):
    return FourState({"first": "ann", "second": second, "moves": moves, "over": False, "gave_up": 0})


def test_waiting():
    found = state([], second="")
    assert (found["phase"], found["turn"]) == ("waiting", 0)


def test_turns():
    assert [state([3] * number)["turn"] for number in range(3)] == [1, 2, 1]
    found = state([3, 2])
    assert (found["phase"], found["winner"], found["last"], found["number"]) == ("playing", 0, 2, 2)
    assert found["board"][5][2:4] == [2, 1]


def test_won():
    found = state([0, 1, 0, 1, 0, 1, 0])
    assert (found["phase"], found["winner"], found["turn"]) == ("won", 1, 0)
    assert found["line"] == [[2, 0], [3, 0], [4, 0], [5, 0]]
    assert state([6, 0, 1, 0, 1, 0, 1, 0])["winner"] == 2
