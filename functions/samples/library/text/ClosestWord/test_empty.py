def test_empty_list():
    try:
        ClosestWord("word", [])
    except ValueError:
        return
    check(False, "an empty list was accepted")
