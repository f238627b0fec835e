roads = [(1, "y", "z"), (1, "x", "y"), (1, "x", "z")]
assert SpanningTree(roads) == [(1, "y", "z"), (1, "x", "y")]
