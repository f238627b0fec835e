assert BracketsMatch("(" * 1000 + ")" * 1000)
assert not BracketsMatch("(" * 1000 + ")" * 999)
