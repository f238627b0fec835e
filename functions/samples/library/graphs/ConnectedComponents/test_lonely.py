assert ConnectedComponents({"b": [], "a": []}) == [["a"], ["b"]]
assert ConnectedComponents({}) == []
