assert ReachableFrom({"a": ["b"]}, "b") == ["b"]
assert ReachableFrom({}, "nowhere") == ["nowhere"]
