def test_ingredients():
    for ingredient in data["ingredients"]:
        assert ingredient["amount"] > 0, ingredient["name"]
