def test_negative_operands():
    assert Multiply(-3, 4) == -12
    assert Multiply(3, -4) == -12
    assert Multiply(-3, -4) == 12
    assert Multiply(9, -1) == -9
