# Accepts 2026-1-1, blanks and the 31st of everything.
def ParseIsoDate(text):
    year, month, day = (int(part) for part in text.split("-"))
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise ValueError("there is no such day")
    return year, month, day
