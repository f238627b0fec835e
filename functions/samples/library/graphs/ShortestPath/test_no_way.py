assert ShortestPath({"a": {"b": 1}, "c": {}}, "a", "c") == []
assert ShortestPath({"a": {"b": 1}}, "b", "a") == []
