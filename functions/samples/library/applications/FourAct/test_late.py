def move(moves, number, column, visitor):
    value = {"first": "ann", "second": "ben", "moves": moves, "over": False, "gave_up": 0}
    game = {"id": 7, "version": 3, "author": "ann", "value": value}
    form = {"act": "move", "game": "7", "number": str(number), "column": str(column)}
    acted = FourAct([game], form, visitor)
    assert acted["commands"] == []
    return acted["message"]


def test_another_board():
    assert "changed since" in move([3, 3], 0, 5, "ann")
    assert "changed since" in move([3, 3], "x", 5, "ann")


def test_another_move_was_faster():
    assert "ben’s turn" in move([3], 0, 5, "ann")


def test_a_button_that_was_pressed_twice():
    assert move([3], 0, 3, "ann") == ""
