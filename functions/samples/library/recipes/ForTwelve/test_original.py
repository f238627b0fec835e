def test_original():
    recipe = {"serves": 6, "ingredients": [{"name": "eggs", "amount": 3}]}
    ForTwelve(recipe)
    assert recipe == {"serves": 6, "ingredients": [{"name": "eggs", "amount": 3}]}
