# Columns in pairs, turned around after each three rows, so that no four are equal.
moves = []
for pair in ((0, 1), (2, 3), (4, 5)):
    moves += [*pair] * 2 + [*reversed(pair)] * 2 + [*pair] * 2
moves += [6] * 6
game = {"first": "ann", "second": "ben", "moves": moves, "over": True, "gave_up": 0}
found = FourState(game)
assert len(moves) == 42
assert (found["phase"], found["winner"], found["line"], found["turn"]) == ("drawn", 0, [], 0)
