assert TopologicalSort({"b": ["a", "a"]}) == ["a", "b"]
assert TopologicalSort({}) == []
