assert HasCycle({}) is False
assert HasCycle({"a": [], "b": []}) is False
