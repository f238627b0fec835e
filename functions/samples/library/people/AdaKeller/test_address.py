def test_address():
    city = data["address"]["city"]
    assert city["name"] == "Bern"
    assert city["country"]["capital"] == "Bern"
