assert ShortestPath({"a": {"b": 1}, "b": {"a": 1}}, "a", "a") == ["a"]
