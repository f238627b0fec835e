roads = {"a": {"b": 0}, "b": {"a": 0, "c": 5}, "c": {"a": 1}}
assert ShortestPath(roads, "a", "c") == ["a", "b", "c"]
assert ShortestPath(roads, "a", "nowhere") == []
