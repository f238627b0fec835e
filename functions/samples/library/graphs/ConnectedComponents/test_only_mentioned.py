islands = ConnectedComponents({"a": ["x"], "b": ["y", "x"]})
log(f"islands: {islands}")
assert islands == [["a", "b", "x", "y"]]
