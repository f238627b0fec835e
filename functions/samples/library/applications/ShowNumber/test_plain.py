def test_digits():
    assert ShowNumber(12) == "12"
    assert ShowNumber(3.10685596) == "3.106856"
    assert ShowNumber(0.30000000000000004) == "0.3"
    assert ShowNumber(67906.27008) == "67\u202f906.27"
    assert ShowNumber(0.000123) == "0.000123"


def test_signs():
    assert ShowNumber(-40.5) == "−40.5"
    assert ShowNumber(-0.0) == "0"
