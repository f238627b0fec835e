for loser, winner in ((1, 2), (2, 1)):
    game = {"first": "ann", "second": "ben", "moves": [3], "over": True, "gave_up": loser}
    found = FourState(game)
    assert (found["phase"], found["winner"], found["line"], found["turn"]) == ("won", winner, [], 0)
