fields = ParseCsvLine('"Doe, Jane","says ""hi""",42')
log(f"fields: {fields}")
assert fields == ["Doe, Jane", 'says "hi"', "42"]
assert ParseCsvLine('""""') == ['"']
