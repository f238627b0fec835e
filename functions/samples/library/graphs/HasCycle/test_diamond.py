# Two ways to the same place, but none back.
assert HasCycle({"a": ["b", "c"], "b": ["d"], "c": ["d"]}) is False
