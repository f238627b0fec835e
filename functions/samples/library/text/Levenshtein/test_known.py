assert Levenshtein("cat", "cut") == 1
assert Levenshtein("cat", "cart") == 1
assert Levenshtein("cart", "cat") == 1
assert Levenshtein("kitten", "sitting") == 3
