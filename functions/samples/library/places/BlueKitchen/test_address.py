def test_address():
    assert data["address"]["city"]["country"]["name"] == "Switzerland"
