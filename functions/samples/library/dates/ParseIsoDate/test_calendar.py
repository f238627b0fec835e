def test_calendar():
    for text in (
        "2023-02-29",
        "2024-04-31",
        "2024-13-01",
        "2024-00-10",
        "2024-01-00",
        "0000-01-01",
    ):
        try:
            ParseIsoDate(text)
        except ValueError:
            continue
        check(False, f"{text!r} was accepted")
