def test_place_ninety():
    assert Fibonacci(90) == 2880067194370816120


def test_place_three_hundred():
    number = Fibonacci(300)
    log(f"place 300: {number}")
    assert len(str(number)) == 63
    assert number % 10**12 == 764_990_979_600
