def test_nothing_given():
    found = Conversion({})
    assert (found["quantity"], found["value"], found["from"], found["to"]) == ("length", "1", "km", "mi")
    assert found["result"]
    assert ["temperature", "Temperature"] in found["quantities"]


def test_a_quantity_has_its_own_units():
    found = Conversion({"quantity": "temperature"})
    assert [found["from"], found["to"]] == ["°C", "°F"]
    assert found["result"] == "33.8"
    assert ["K", "kelvins"] in found["units"]
