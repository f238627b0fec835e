def test_form():
    for text in (
        "",
        "2026-1-1",
        "21.11.2026",
        " 2026-11-21",
        "2026-11-21\n",
        "20261121",
    ):
        try:
            ParseIsoDate(text)
        except ValueError:
            continue
        check(False, f"{text!r} was accepted")
