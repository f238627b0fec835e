assert Levenshtein("", "") == 0
assert Levenshtein("", "four") == 4
assert Levenshtein("four", "") == 4
