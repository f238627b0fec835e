def game(second="", moves=()):
    value = {"first": "ann", "second": second, "moves": list(moves), "over": False, "gave_up": 0}
    return {"id": 7, "version": 3, "author": "ann", "value": value}


def test_begin():
    acted = FourAct([], {"act": "begin"}, "ann")
    value = {"first": "ann", "second": "", "moves": [], "over": False, "gave_up": 0}
    assert acted["commands"] == [{"add": "FourGames", "value": value}]
    assert (acted["message"], acted["location"]) == ("", "latest")


def test_one_game_waits_for_each():
    acted = FourAct([game()], {"act": "begin"}, "ann")
    assert acted["commands"] == [] and "already" in acted["message"]
    assert FourAct([game(second="ben")], {"act": "begin"}, "ann")["commands"]
    assert FourAct([game()], {"act": "begin"}, "ben")["commands"]


def test_join():
    acted = FourAct([game()], {"act": "join", "game": "7"}, "ben")
    assert acted["commands"] == [{"change": "FourGames", "id": 7, "version": 3, "patch": {"second": "ben"}}]
    assert acted["location"] == "7"


def test_one_is_faster():
    acted = FourAct([game(second="ben")], {"act": "join", "game": "7"}, "cid")
    assert acted["commands"] == [] and "ben was faster" in acted["message"]
    assert "yourself" in FourAct([game()], {"act": "join", "game": "7"}, "ann")["message"]


def test_withdraw():
    acted = FourAct([game()], {"act": "withdraw", "game": "7"}, "ann")
    assert acted["commands"] == [{"delete": "FourGames", "id": 7, "version": 3}]
    assert FourAct([game()], {"act": "withdraw", "game": "7"}, "ben")["message"]
    assert "ben has joined" in FourAct([game("ben")], {"act": "withdraw", "game": "7"}, "ann")["message"]


def test_give_up():
    acted = FourAct([game("ben", [3])], {"act": "give up", "game": "7"}, "ann")
    assert acted["commands"][0]["patch"] == {"gave_up": 1, "over": True}
