roads = {
    "home": {"work": 10, "park": 2},
    "park": {"mill": 3},
    "mill": {"work": 4},
}
path = ShortestPath(roads, "home", "work")
log(" -> ".join(path))
assert path == ["home", "park", "mill", "work"]
