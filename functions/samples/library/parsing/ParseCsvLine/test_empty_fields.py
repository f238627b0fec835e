assert ParseCsvLine("") == [""]
assert ParseCsvLine("a,") == ["a", ""]
assert ParseCsvLine(',"",') == ["", "", ""]
