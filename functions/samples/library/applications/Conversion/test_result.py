def test_result():
    found = Conversion({"quantity": "length", "value": "42.195", "from": "km", "to": "mi"})
    assert (found["number"], found["result"], found["error"]) == ("42.195", "26.21876", "")
    assert ["metres", "m", "42\u202f195"] in found["rows"]
    assert "km" not in [symbol for _, symbol, _ in found["rows"]]


def test_line():
    found = Conversion({"quantity": "mass", "value": "3", "from": "lb", "to": "kg"})
    points = found["points"]
    assert [round(x, 9) for x, _ in (points[0], points[-1])] == [0, 6]
    assert abs(points[-1][1] - 6 * 0.45359237) < 1e-9
    assert found["marked"] in points


def test_no_line_below_absolute_zero():
    found = Conversion({"quantity": "temperature", "value": "10", "from": "K", "to": "°C"})
    assert len(found["points"]) >= 2
    assert min(x for x, _ in found["points"]) >= 0
