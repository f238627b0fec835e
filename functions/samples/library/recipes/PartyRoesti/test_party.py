def test_party():
    recipe = data["recipe"]
    assert recipe["serves"] == 12
    assert {"name": "potatoes", "amount": 3000, "unit": "g"} in recipe["ingredients"]
