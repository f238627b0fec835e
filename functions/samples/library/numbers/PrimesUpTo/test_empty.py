for limit in (1, 0, -5):
    assert PrimesUpTo(limit) == []
