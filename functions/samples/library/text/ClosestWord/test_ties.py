assert ClosestWord("cot", ["cat", "cut", "dog"]) == "cat"
assert ClosestWord("cot", ["cut", "cat", "dog"]) == "cut"
