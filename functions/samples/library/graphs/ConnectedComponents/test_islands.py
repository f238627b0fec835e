graph = {"d": ["c"], "a": ["b"], "c": [], "b": ["a"]}
assert ConnectedComponents(graph) == [["a", "b"], ["c", "d"]]
