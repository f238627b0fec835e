assert Levenshtein("ab" * 2500, "a") == 4999
