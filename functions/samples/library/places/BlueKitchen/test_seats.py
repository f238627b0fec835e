def test_seats():
    assert 0 < data["seats"] <= 40
