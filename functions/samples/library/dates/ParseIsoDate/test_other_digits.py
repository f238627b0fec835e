# int() would read these as 2026-01-02.
def test_other_digits():
    try:
        ParseIsoDate("٢٠٢٦-٠١-٠٢")
    except ValueError:
        return
    check(False, "Arabic-Indic digits were accepted")
