roads = [
    (3, "a", "b"),
    (1, "b", "c"),
    (4, "c", "d"),
    (2, "d", "a"),
    (5, "a", "c"),
]
tree = SpanningTree(roads)
log(f"chosen: {tree}")
assert tree == [(1, "b", "c"), (2, "d", "a"), (3, "a", "b")]
