units = [unit for quantity in data.values() for unit in quantity["units"]]


def test_units_are_complete():
    for unit in units:
        assert unit["name"] and unit["symbol"].strip() == unit["symbol"], unit
        assert unit["factor"] > 0 and unit.get("divisor", 1) > 0, unit


def test_no_symbol_or_name_stands_for_two():
    for key in ("symbol", "name"):
        given = [unit[key] for unit in units]
        assert len(given) == len(set(given))


def test_each_quantity_has_a_title_and_a_base_unit():
    for quantity in data.values():
        assert quantity["title"]
        assert len(quantity["units"]) >= 2
        scales = [(unit["factor"], unit.get("divisor", 1), unit.get("shift", 0)) for unit in quantity["units"]]
        assert (1, 1, 0) in scales, quantity["title"]
