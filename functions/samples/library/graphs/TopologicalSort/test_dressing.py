order = TopologicalSort(
    {
        "shoes": ["socks", "trousers"],
        "trousers": ["pants"],
        "belt": ["trousers"],
    }
)
log(f"get dressed: {', '.join(order)}")
assert order.index("socks") < order.index("shoes")
assert order.index("pants") < order.index("trousers") < order.index("belt")
assert sorted(order) == ["belt", "pants", "shoes", "socks", "trousers"]
