def test_bad_quotes():
    for line in ('"never closed', '"a"b,c', '"a" ,b', '"""'):
        try:
            fields = ParseCsvLine(line)
        except ValueError:
            continue
        check(False, f"{line!r} became {fields}")
