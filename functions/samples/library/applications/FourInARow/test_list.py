def game(number, first="ann", second="", moves=(), gave_up=0):
    value = {"first": first, "second": second, "moves": list(moves), "over": bool(gave_up), "gave_up": gave_up}
    return {"id": number, "version": 1, "author": first, "value": value}


def test_groups():
    page = render(
        going=[game(4, "cid", "dee"), game(3, "ben"), game(2, "ann", "ben", [3])],
        done=[game(1, "cid", "ann", [1], gave_up=1)],
        visitor="ann",
    )
    assert [each.text for each in page.select("h2")] == ["Your games", "Waiting for somebody", "Being played", "Finished"]
    assert [each["href"] for each in page.select(".games a")] == ["2", "3", "4", "1"]
    assert "ben’s turn, 1 move" in page.text
    assert "ann won" in page.select(".games a")[3].text
    assert [each["aria-label"] for each in page.select("button[value=join]")] == ["Join: ben"]
    assert page.select("button[value=begin]")


def test_who_has_not_signed_in_watches():
    page = render(going=[game(3)])
    assert "Sign in" in page.select(".status")[0].text
    assert not page.select("button")
    assert page.select(".games a")


def test_no_such_game():
    page = render(path="9", visitor="ann")
    assert page.status == 404
    assert "no such game" in page.select("[role=alert]")[0].text
