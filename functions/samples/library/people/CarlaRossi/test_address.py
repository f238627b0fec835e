def test_address():
    city = data["address"]["city"]
    assert city["name"] == "Basel"
    assert city["country"]["capital"] == "Bern"
