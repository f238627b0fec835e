"""A wall calendar as text, with boxes side by side, and birthdays from CSV."""
import calendar
import csv
import io
import json
from collections import defaultdict
from datetime import date, datetime, time, timedelta, timezone
from itertools import zip_longest

BIRTHDAYS = """name,born
Ada,1815-12-10
Grace,1906-12-09
Leap,2000-02-29
Alan,1912-06-23
"Donald ""Don"" K.",1938-01-10
"""


def month_block(year, month, marks=()):
    lines = [f"{calendar.month_name[month]} {year}".center(20), "Mo Tu We Th Fr Sa Su"]
    for week in calendar.Calendar().monthdayscalendar(year, month):
        lines.append(" ".join("  " if not d else "**" if d in marks else f"{d:2d}" for d in week))
    return lines


def beside(*blocks, gap=3):
    width = max(len(line) for block in blocks for line in block)
    for lines in zip_longest(*blocks, fillvalue=""):
        yield (" " * gap).join(line.ljust(width) for line in lines).rstrip()


def year_page(year, per_row=3):
    marks = birthdays_in(year)
    months = [month_block(year, m, marks.get(m, {})) for m in range(1, 13)]
    rows = (months[i:i + per_row] for i in range(0, 12, per_row))
    return "\n\n".join("\n".join(beside(*row)) for row in rows)


def read_birthdays(text):
    for row in csv.DictReader(io.StringIO(text)):
        yield row["name"], date.fromisoformat(row["born"])


def birthdays_in(year):
    found = defaultdict(dict)
    for name, born in read_birthdays(BIRTHDAYS):
        try:
            day = born.replace(year=year)
        except ValueError:
            day = date(year, 3, 1)
        found[day.month][day.day] = f"{name} ({year - born.year})"
    return dict(found)


def nth_weekday(year, month, weekday, n):
    """The n-th such day of a month; from the end if n is negative."""
    days = [d for d in calendar.Calendar().itermonthdates(year, month) if d.month == month and d.weekday() == weekday]
    return days[n - 1 if n > 0 else n]


class Countdown:
    def __init__(self, moment: datetime):
        self.moment = moment

    def __sub__(self, other: datetime) -> str:
        left = self.moment - other
        if left < timedelta():
            return "over"
        hours, rest = divmod(left.seconds, 3600)
        return f"{left.days}d {hours:02}h {rest // 60:02}m"


def main():
    february = month_block(2024, 2, marks={29})
    assert february[0].strip() == "February 2024" and february[2] == "          1  2  3  4"
    assert february[-1].rstrip() == "26 27 28 **"
    plain = calendar.TextCalendar().formatmonth(2023, 10).splitlines()
    assert [line.rstrip() for line in plain] == [line.rstrip() for line in month_block(2023, 10)]

    page = year_page(2023)
    print(page)
    assert page.count("**") == 5 and page.count("Mo Tu") == 12
    assert birthdays_in(2023)[3] == {1: "Leap (23)"} and birthdays_in(2024)[2] == {29: "Leap (24)"}
    assert birthdays_in(2023)[1][10].startswith('Donald "Don" K.')

    assert nth_weekday(2024, 11, calendar.THURSDAY, 4) == date(2024, 11, 28)
    assert nth_weekday(2024, 5, calendar.MONDAY, -1).day == 27
    countdown = Countdown(datetime.combine(date(2024, 12, 31), time(23, 59), tzinfo=timezone.utc))
    assert countdown - datetime(2024, 12, 30, 20, 30, tzinfo=timezone.utc) == "1d 03h 29m"
    assert countdown - datetime(2025, 1, 1, tzinfo=timezone.utc) == "over"

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["month", "who"])
    writer.writerows((m, "; ".join(who.values())) for m, who in sorted(birthdays_in(2020).items()))
    assert out.getvalue().splitlines()[-1] == "12,Ada (205); Grace (114)"
    as_json = json.dumps(birthdays_in(2020), sort_keys=True, indent=1)
    assert json.loads(as_json)["6"] == {"23": "Alan (108)"}
    assert json.dumps({"d": date(2020, 1, 2)}, default=str) == '{"d": "2020-01-02"}'


if __name__ == "__main__":
    main()
