assert Levenshtein("lengthy", "engthy") == 1
assert Levenshtein("abcdef", "bcdefg") == 2
