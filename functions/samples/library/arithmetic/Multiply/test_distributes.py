for a, b, c in ((6, 11, 4), (-5, 8, 30), (17, -9, -2)):
    log(f"{a} x ({b} + {c}) = {Multiply(a, b + c)}")
    assert Multiply(a, b + c) == Multiply(a, b) + Multiply(a, c)
    assert Multiply(a, b) == Multiply(b, a)
