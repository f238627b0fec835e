# Uses <<DropPieces>> and <<FourInLine>>.
def FourState(game):
    moves = game["moves"]
    board = DropPieces(moves)
    line = FourInLine(board)
    turn = 1 + len(moves) % 2
    winner = board[line[0][0]][line[0][1]] if line else 3 - game["gave_up"] if game["gave_up"] else 0
    if winner:
        phase = "won"
    elif all(board[0]):
        phase = "drawn"
    else:
        phase = "playing" if game["second"] else "waiting"
    return {
        "board": board,
        "line": line,
        "phase": phase,
        "winner": winner,
        "turn": turn if phase == "playing" else 0,
        "number": len(moves),
        "last": moves[-1] if moves else None,
        "players": [game["first"], game["second"]],
    }
