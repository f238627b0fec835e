assert not BracketsMatch("([)]")
assert not BracketsMatch("(]")
