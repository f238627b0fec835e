assert RunLengthDecode([("a", 3), ("b", 1)]) == "aaab"
assert RunLengthDecode([]) == ""
assert RunLengthDecode([("a", 0), ("b", 2)]) == "bb"
