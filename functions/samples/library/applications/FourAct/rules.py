# Uses <<FourState>>.
_COLLECTION = "FourGames"


def FourAct(games, form, visitor):
    try:
        return {"message": "", "location": "", "commands": [], **_act(games, form, visitor)}
    except ValueError as error:
        return {"message": str(error), "location": "", "commands": []}


def _act(games, form, visitor):
    act = form.get("act")
    if not act:
        return {}
    if not visitor:
        raise ValueError("Sign in to play.")
    if act == "begin":
        return _begin(games, visitor)
    game = next((each for each in games if str(each["id"]) == form.get("game")), None)
    if game is None:
        raise ValueError("There is no such game any more.")
    state = FourState(game["value"])
    rules = {"join": _join, "withdraw": _withdraw, "give up": _give_up, "move": _move}
    if act not in rules:
        raise ValueError("That is nothing one can do here.")
    return {"location": f"{game['id']}", **rules[act](game, state, form, visitor)}


def _begin(games, visitor):
    for game in games:
        if game["author"] == visitor and FourState(game["value"])["phase"] == "waiting":
            raise ValueError("You have begun a game already, which waits for somebody to join.")
    value = {"first": visitor, "second": "", "moves": [], "over": False, "gave_up": 0}
    return {"location": "latest", "commands": [{"add": _COLLECTION, "value": value}]}


def _join(game, state, form, visitor):
    first, second = state["players"]
    if visitor == first:
        raise ValueError("You can’t play against yourself.")
    if second and second != visitor:
        raise ValueError(f"{second} was faster, and plays this game. You can watch it.")
    return {"commands": [] if second else _change(game, {"second": visitor})}


def _withdraw(game, state, form, visitor):
    if visitor != game["author"]:
        raise ValueError("Only whoever has begun a game can withdraw it.")
    if state["phase"] != "waiting":
        raise ValueError(f"{state['players'][1]} has joined. You can only give up now.")
    about = {"id": game["id"], "version": game["version"]}
    return {"location": ".", "commands": [{"delete": _COLLECTION, **about}]}


def _give_up(game, state, form, visitor):
    player = _player(state, visitor)
    _check_running(state)
    return {"commands": _change(game, {"gave_up": player, "over": True})}


def _move(game, state, form, visitor):
    player = _player(state, visitor)
    moves = game["value"]["moves"]
    column, number = (int(text) if text.isdecimal() else -1 for text in (form.get("column", ""), form.get("number", "")))
    if number == len(moves) - 1 and number % 2 + 1 == player and moves[-1] == column:
        return {}  # sent twice
    _check_running(state)
    if state["turn"] != player:
        raise ValueError(f"It is {state['players'][state['turn'] - 1]}’s turn. Your move wasn’t made.")
    if number != len(moves):
        raise ValueError("The board has changed since you looked at it. Your move wasn’t made: choose again.")
    moves = [*moves, column]
    after = FourState({**game["value"], "moves": moves})  # refuses a full column
    is_over = after["phase"] in ("won", "drawn")
    return {"commands": _change(game, {"moves": moves, "over": is_over})}


def _player(state, visitor):
    if visitor not in state["players"]:
        raise ValueError("You only watch this game.")
    return state["players"].index(visitor) + 1


def _check_running(state):
    if state["phase"] == "waiting":
        raise ValueError("Nobody has joined this game yet.")
    if state["phase"] != "playing":
        raise ValueError("This game is over.")


def _change(game, patch):
    about = {"id": game["id"], "version": game["version"]}
    return [{"change": _COLLECTION, **about, "patch": patch}]
