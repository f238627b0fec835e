roads = [(2, "a", "b"), (1, "x", "y")]
assert SpanningTree(roads) == [(1, "x", "y"), (2, "a", "b")]
assert SpanningTree([]) == []
