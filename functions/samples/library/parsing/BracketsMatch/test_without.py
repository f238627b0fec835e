assert BracketsMatch("") is True
assert BracketsMatch("a < b > c") is True
