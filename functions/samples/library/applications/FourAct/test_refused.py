import pytest

VALUE = {"first": "ann", "second": "ben", "moves": [3], "over": False, "gave_up": 0}


def refusal(visitor, act="move", number="1", column="3", **changes):
    game = {"id": 7, "version": 3, "author": "ann", "value": {**VALUE, **changes}}
    acted = FourAct([game], {"act": act, "game": "7", "number": number, "column": column}, visitor)
    assert acted["commands"] == []
    return acted["message"]


def test_who_may_not():
    assert refusal("") == "Sign in to play."
    assert refusal("cid") == "You only watch this game."
    assert refusal("cid", act="give up") == "You only watch this game."


def test_out_of_turn():
    assert refusal("ann").startswith("It is ben’s turn.")


def test_waiting_or_over():
    assert "joined" in refusal("ann", second="", moves=[], number="0")
    assert "over" in refusal("ann", moves=[0, 1, 0, 1, 0, 1, 0], number="7")
    assert "over" in refusal("ben", gave_up=1)


@pytest.mark.parametrize("column", ["7", "-1", "x", "", "3.0"])
def test_no_column(column):
    assert "no such column" in refusal("ben", column=column)


def test_a_full_column():
    assert refusal("ann", moves=[3] * 6, number="6") == "Column 4 is full."


def test_other_nonsense():
    assert refusal("ben", act="cheat")
    form = {"act": "move", "game": "8", "number": "0", "column": "3"}
    assert "no such game" in FourAct([], form, "ann")["message"]
