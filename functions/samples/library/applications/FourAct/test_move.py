def move(moves, column, visitor):
    value = {"first": "ann", "second": "ben", "moves": moves, "over": False, "gave_up": 0}
    game = {"id": 7, "version": 3, "author": "ann", "value": value}
    form = {"act": "move", "game": "7", "number": str(len(moves)), "column": str(column)}
    acted = FourAct([game], form, visitor)
    assert acted["message"] == ""
    assert acted["location"] == "7"
    [command] = acted["commands"]
    assert (command["change"], command["id"], command["version"]) == ("FourGames", 7, 3)
    return command["patch"]


def test_moves():
    assert move([], 3, "ann") == {"moves": [3], "over": False}
    assert move([3], 0, "ben") == {"moves": [3, 0], "over": False}


def test_the_last_move():
    assert move([0, 1, 0, 1, 0, 1], 0, "ann") == {"moves": [0, 1, 0, 1, 0, 1, 0], "over": True}


def test_a_look_changes_nothing():
    assert FourAct([], {}, "ann") == {"message": "", "location": "", "commands": []}
