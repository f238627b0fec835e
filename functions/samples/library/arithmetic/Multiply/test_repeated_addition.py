# Checked against <<Add>> itself.
def test_agrees_with_repeated_addition():
    total = 0
    for _ in range(9):
        total = Add(total, 7)
    assert Multiply(7, 9) == total
