def ForTwelve(recipe):
    factor = 12 / recipe["serves"]
    ingredients = [
        {**ingredient, "amount": round(ingredient["amount"] * factor, 2)}
        for ingredient in recipe["ingredients"]
    ]
    return {**recipe, "serves": 12, "ingredients": ingredients}
