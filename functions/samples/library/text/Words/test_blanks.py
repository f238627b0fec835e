assert Words("  two \t\n words ") == ["two", "words"]
assert Words("") == []
