# The parts of a conversion that a page shows.
# Uses <<UnitTable>>, <<ConvertUnit>>, <<ReadNumber>> and <<ShowNumber>>.
_STEPS = 10


def Conversion(query):
    found = {
        "quantities": [[key, each["title"]] for key, each in UnitTable.items()],
        "value": query.get("value", "1"),
        "error": "",
        "result": "",
        "rows": [],
        "points": [],
        "marked": None,
    }
    try:
        quantity = _one_of(query.get("quantity"), UnitTable, "quantity")
        found["error"] = ""
    except ValueError as error:
        quantity, found["error"] = next(iter(UnitTable)), str(error)
    units = {unit["symbol"]: unit["name"] for unit in UnitTable[quantity]["units"]}
    first, second, *_ = units
    found |= {"quantity": quantity, "title": UnitTable[quantity]["title"], "units": list(map(list, units.items()))}
    found |= {"from": first, "to": second}
    if found["error"]:
        return found
    try:
        found["from"] = _one_of(query.get("from"), units, f"unit of {found['title'].lower()}", first)
        found["to"] = _one_of(query.get("to"), units, f"unit of {found['title'].lower()}", second)
        number = ReadNumber(found["value"])
        result = ConvertUnit(number, found["from"], found["to"])
    except ValueError as error:
        return found | {"error": str(error)}
    found["number"], found["result"] = ShowNumber(number), ShowNumber(result)
    found["rows"] = [
        [name, symbol, ShowNumber(ConvertUnit(number, found["from"], symbol))]
        for symbol, name in units.items()
        if symbol != found["from"]
    ]
    found["points"] = list(_points(number, found["from"], found["to"]))
    found["marked"] = [number, result]
    return found


def _one_of(given, choices, what, default=None):
    if given is None:
        return default or next(iter(choices))
    if given not in choices:
        shown = given if len(given) <= 20 else given[:20] + "…"
        raise ValueError(f"There is no {what} “{shown}”.")
    return given


def _points(number, source, target):
    """Places of the line around this number: from zero to twice as much; 50 degrees around it."""
    width = 50 if source in ("°C", "°F", "K") else abs(number) or 5
    for step in range(_STEPS + 1):
        x = number + width * (2 * step / _STEPS - 1)
        try:
            yield [x, ConvertUnit(x, source, target)]
        except ValueError:
            continue  # too cold
