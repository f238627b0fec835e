def shown(visitor, moves=(), second="ben", gave_up=0):
    value = {"first": "ann", "second": second, "moves": list(moves), "over": False, "gave_up": gave_up}
    game = {"id": 7, "version": 1, "author": "ann", "value": value}
    return render(path="7", going=[game], visitor=visitor)


def status(*given, **named):
    return shown(*given, **named).select("#status")[0].text


def test_turns():
    assert status("ann") == "It is your turn."
    assert status("ben") == "It is ann’s turn."
    assert status("cid", [3]) == "It is ben’s turn."
    assert len(shown("ann").select("button[name=column]")) == 7
    for other in ("ben", "cid", ""):
        assert not shown(other).select("button[name=column]")


def test_the_end():
    moves = [0, 1, 0, 1, 0, 1, 0]
    assert status("ann", moves) == "You have won!"
    assert status("ben", moves) == "You have lost: ann has won."
    assert status("", moves) == "ann has won."
    assert status("ann", gave_up=1) == "You have given up: ben has won."
    assert status("ben", gave_up=1) == "You have won, as ann has given up!"
    assert len(shown("ben", moves).select("i.line")) == 4


def test_waiting():
    assert "Waiting" in status("ann", second="")
    page = shown("ben", second="")
    assert page.select("button[value=join]")
    assert shown("ann", second="").select("button[value=withdraw]")


def test_the_latest_game():
    value = {"first": "ann", "second": "", "moves": [], "over": False, "gave_up": 0}
    games = [{"id": 7 + i, "version": 1, "author": author, "value": value} for i, author in enumerate(("ben", "ann"))]
    assert render(path="latest", going=games, visitor="ann").select("input[name=game]")[0]["value"] == "8"
    assert render(path="latest", going=games).status == 404
