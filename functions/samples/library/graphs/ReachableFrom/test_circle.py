ring = {"a": ["b"], "b": ["c"], "c": ["a"]}
assert ReachableFrom(ring, "b") == ["b", "c", "a"]
assert ReachableFrom({"a": ["a"]}, "a") == ["a"]
