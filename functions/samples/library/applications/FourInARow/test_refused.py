VALUE = {"first": "ann", "second": "ben", "moves": [3], "over": False, "gave_up": 0}
GAME = {"id": 7, "version": 5, "author": "ann", "value": VALUE}


def move(visitor, number="1"):
    form = {"act": "move", "game": "7", "number": number, "column": "4"}
    return render(method="POST", path="7", going=[GAME], form=form, visitor=visitor)


def test_a_move():
    page = move("ben")
    assert (page.status, page.location) == (303, "7")
    assert page.commands == [
        {"change": "FourGames", "id": 7, "version": 5, "patch": {"moves": [3, 4], "over": False}}
    ]


def test_refused():
    for visitor, number, said in (
        ("ann", "1", "It is ben’s turn."),
        ("ben", "0", "The board has changed"),
        ("cid", "1", "You only watch this game."),
        ("", "1", "Sign in to play."),
    ):
        page = move(visitor, number)
        assert (page.status, page.location, page.commands) == (409, "", [])
        assert said in page.select("[role=alert]")[0].text
        assert page.data["message"]
        assert page.select("#status")
