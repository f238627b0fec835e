def test_steps():
    assert NiceTicks(0, 10) == [0, 2, 4, 6, 8, 10]
    assert NiceTicks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert NiceTicks(-40, 60) == [-40, -20, 0, 20, 40, 60]
    assert NiceTicks(3, 47) == [10, 20, 30, 40]


def test_count():
    assert NiceTicks(0, 100, count=2) == [0, 50, 100]
    assert len(NiceTicks(0, 100, count=10)) == 11
