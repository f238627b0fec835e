# Uses <<UnitTable>>.
def ConvertUnit(value, source, target):
    if not abs(value) < float("inf"):
        raise ValueError("Infinitely many can't be converted.")
    for quantity in UnitTable.values():
        units = {unit["symbol"]: unit for unit in quantity["units"]}
        if source in units and target in units:
            one, other = units[source], units[target]
            break
    else:
        raise ValueError(f"{source} can't be converted to {target}: no quantity has both units.")
    base = (value + one.get("shift", 0)) * one["factor"] / one.get("divisor", 1)
    if "K" in units and base < -1e-9:
        raise ValueError("Nothing is colder than 0 K.")
    result = base * other.get("divisor", 1) / other["factor"] - other.get("shift", 0)
    if abs(result) == float("inf"):
        raise ValueError("The result is too large.")
    return result
