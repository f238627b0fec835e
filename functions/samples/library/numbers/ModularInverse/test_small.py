for a in range(1, 13):
    inverse = ModularInverse(a, 13)
    assert 0 < inverse < 13
    assert a * inverse % 13 == 1
