board = [[0] * 7 for _ in range(5)] + [[2, 2, 2, 2, 1, 1, 1]]
state = {"board": board, "line": [[5, column] for column in range(4)], "last": 2}
page = render(state=state)
assert len(page.select("i.line")) == 4
assert len(page.select("i.yellow.line")) == 4
assert not page.select("i.red.line")
