import jsonschema


def test_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(data)


def test_refuses_a_city_without_a_postal_code():
    city = {"name": "Bern", "country": {"name": "Switzerland"}}
    assert not jsonschema.Draft202012Validator(data).is_valid(city)
    assert jsonschema.Draft202012Validator(data).is_valid({**city, "zipcode": "3000"})
