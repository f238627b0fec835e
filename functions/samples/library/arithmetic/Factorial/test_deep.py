def test_three_thousand_factors():
    product = Factorial(3000)
    log(f"3000! has {product.bit_length()} bits")
    assert product % 2999 == 0
    assert product // Factorial(2999) == 3000
