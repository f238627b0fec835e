assert BracketsMatch("f(a[1], {2: (3)})")
assert BracketsMatch("()[]{}")
