roads = {"a": ["b", "c"], "b": ["d"], "c": ["e"], "d": ["f"]}
assert ReachableFrom(roads, "a") == ["a", "b", "c", "d", "e", "f"]
