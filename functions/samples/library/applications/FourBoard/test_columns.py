board = [[0] * 7 for _ in range(6)]
board[5][3], board[4][3], board[5][0] = 1, 2, 1
state = {"board": board, "line": [], "last": 0}


def test_columns():
    page = render(state=state)
    columns = page.select(".four > [role=img]")
    assert [each["aria-label"] for each in columns][:4] == [
        "Column 1: red", "Column 2: empty", "Column 3: empty", "Column 4: red, yellow"
    ]
    assert len(columns) == 7
    assert len(page.select("i")) == 42


def test_the_last_piece():
    assert len(render(state=state).select("i.last")) == 1
    assert render(state=state).select(".four > :first-child i.red.last")


def test_without_a_state():
    assert not render().select("i")
