# From a one gets nowhere.
assert ConnectedComponents({"a": [], "b": ["a"], "c": ["b"]}) == [
    ["a", "b", "c"]
]
