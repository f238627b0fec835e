turn = [[0, -1], [1, 0]]
for turns in range(5):
    log(f"{turns} quarter turns: {MatrixPower(turn, turns)}")
assert MatrixPower(turn, 2) == [[-1, 0], [0, -1]]
assert MatrixPower(turn, 4) == [[1, 0], [0, 1]]
