assert ParseCsvLine("a,b,c") == ["a", "b", "c"]
assert ParseCsvLine("one, two ") == ["one", " two "]
