def test_amounts():
    recipe = {"serves": 4, "ingredients": [{"name": "milk", "amount": 3, "unit": "dl"}]}
    assert ForTwelve(recipe)["ingredients"] == [{"name": "milk", "amount": 9, "unit": "dl"}]
