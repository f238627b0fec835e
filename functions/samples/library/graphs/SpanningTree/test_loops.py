roads = [(0, "a", "a"), (7, "a", "b"), (6, "b", "a")]
assert SpanningTree(roads) == [(6, "b", "a")]
