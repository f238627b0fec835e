assert ReverseText("stressed") == "desserts"
assert ReverseText("a bc") == "cb a"
