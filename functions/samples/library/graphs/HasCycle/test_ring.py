assert HasCycle({"a": ["b"], "b": ["c"], "c": ["a"]}) is True
assert HasCycle({"a": ["a"]}) is True
