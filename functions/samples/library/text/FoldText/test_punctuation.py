assert FoldText(" It's 5 o'clock -- somewhere! ") == "its5oclocksomewhere"
assert FoldText("...") == ""
assert FoldText("") == ""
