def ForTwelve(recipe):
    return {**recipe, "serves": 12}
