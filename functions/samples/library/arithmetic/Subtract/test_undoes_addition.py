# Compared with <<Add>>.
for a, b in ((12, 30), (-5, 5), (10**25, 10**24)):
    assert Subtract(Add(a, b), b) == a
