def test_rest():
    recipe = {"title": "Tea", "serves": 2, "ingredients": []}
    assert ForTwelve(recipe) == {"title": "Tea", "serves": 12, "ingredients": []}
