def test_mixed_signs():
    assert Add(-2, 5) == 3
    assert Add(2, -5) == -3
    assert Add(-2, -5) == -7


def test_opposites_vanish():
    assert Add(64, -64) == 0
