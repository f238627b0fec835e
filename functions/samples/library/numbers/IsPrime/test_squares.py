for p in (5, 7, 29, 31, 101, 1009):
    assert IsPrime(p)
    check(not IsPrime(p * p), f"{p * p} is {p} squared")
