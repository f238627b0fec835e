for a, b in ((240, 46), (46, 240), (17, 5), (12, 18)):
    g, x, y = ExtendedGcd(a, b)
    log(f"{a} x {x} + {b} x {y} = {g}")
    assert a * x + b * y == g
