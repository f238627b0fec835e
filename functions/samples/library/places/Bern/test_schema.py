import jsonschema


def test_schema():
    # Uses <<CitySchema>>.
    jsonschema.validate(data, CitySchema)
