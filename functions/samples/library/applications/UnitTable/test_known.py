factors = {unit["symbol"]: unit["factor"] for each in data.values() for unit in each["units"]}
assert factors["in"] == 0.0254
assert factors["lb"] == 0.45359237
assert factors["c"] == 299792458
