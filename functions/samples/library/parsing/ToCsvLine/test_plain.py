assert ToCsvLine(["a", "b c", "42"]) == "a,b c,42"
assert ToCsvLine(["", ""]) == ","
