board = [[1 + row % 2] + [0] * 6 for row in range(6)]
state = {"board": board, "line": [], "last": 0}


def test_buttons():
    page = render(state=state, plays=True)
    assert [each["value"] for each in page.select("button[name=column]")] == list("123456")
    assert page.select("[role=img]")[0]["aria-label"].startswith("Column 1: yellow, red")


def test_who_watches_has_none():
    assert not render(state=state, plays=False).select("button")
