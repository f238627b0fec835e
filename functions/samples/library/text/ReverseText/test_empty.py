assert ReverseText("") == ""
assert ReverseText("x") == "x"
assert ReverseText("\u0301") == "\u0301"
