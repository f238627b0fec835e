import pytest


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"quantity": "luck"}, "quantity “luck”"),
        ({"from": "kg"}, "unit of length “kg”"),
        ({"to": "x" * 500}, "unit of length"),
        ({"value": "NaN"}, "“NaN” is no number"),
        ({"value": "1e999"}, "too large"),
        ({"value": ""}, "Type a number"),
        ({"quantity": "temperature", "value": "-300"}, "colder"),
    ],
)
def test_wrong(query, said):
    found = Conversion(query)
    assert said in found["error"]
    assert (found["result"], found["rows"], found["points"]) == ("", [], [])
    assert len(found["error"]) < 100
    assert found["units"] and found["quantities"]
