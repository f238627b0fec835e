def test_cook():
    assert "potatoes" in data["cook"]["likes"]
    assert data["origin"] == data["cook"]["address"]["city"]
