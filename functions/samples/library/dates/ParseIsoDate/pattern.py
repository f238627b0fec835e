# Digits are ASCII here; <<DaysInMonth>> knows which days exist.
import re

ISO_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")


def ParseIsoDate(text):
    match = ISO_DATE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not of the form 2026-11-21")
    year, month, day = (int(part) for part in match.groups())
    if year == 0 or not 1 <= day <= DaysInMonth(year, month):
        raise ValueError(f"the calendar has no day {text}")
    return year, month, day
