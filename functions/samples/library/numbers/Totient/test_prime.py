for p in (2, 13, 101):
    assert Totient(p) == p - 1
