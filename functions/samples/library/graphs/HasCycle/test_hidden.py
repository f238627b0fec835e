graph = {"a": ["b"], "b": [], "x": ["y"], "y": ["z"], "z": ["y"]}
assert HasCycle(graph) is True
