# Read back by <<ParseCsvLine>>.
for fields in (
    [""],
    ["a", "", "b"],
    ["é,è", "日本"],
    ['"'],
    [",", '""', " x "],
):
    line = ToCsvLine(fields)
    log(line)
    assert ParseCsvLine(line) == fields
