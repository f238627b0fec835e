def test_country():
    assert data["country"]["name"] == "Switzerland"
