assert TopologicalSort({"c": [], "a": ["z"], "b": []}) == ["b", "c", "z", "a"]
assert TopologicalSort({"b": [], "a": []}) == ["a", "b"]
