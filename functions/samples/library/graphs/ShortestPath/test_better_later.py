roads = {"a": {"b": 9, "c": 1}, "c": {"b": 1}, "b": {"d": 1}}
assert ShortestPath(roads, "a", "d") == ["a", "c", "b", "d"]
