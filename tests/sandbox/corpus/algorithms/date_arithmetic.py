"""Calendar sums by hand, checked against datetime and calendar."""
import calendar
import datetime as dt
from datetime import date, timedelta


def day_of_week(y, m, d):
    """Zeller's congruence; 0 is Monday."""
    if m < 3:
        m, y = m + 12, y - 1
    k, j = y % 100, y // 100
    h = (d + 13 * (m + 1) // 5 + k + k // 4 + j // 4 + 5 * j) % 7
    return (h + 5) % 7


def easter(year):
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    month, day = divmod(h + l - 7 * m + 114, 31)
    return date(year, month, day + 1)


def julian_day(day):
    a = (14 - day.month) // 12
    y = day.year + 4800 - a
    m = day.month + 12 * a - 3
    return day.day + (153 * m + 2) // 5 + 365 * y + y // 4 - y // 100 + y // 400 - 32045


def leap(y):
    return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)


def add_months(day, n):
    y, m = divmod(day.year * 12 + day.month - 1 + n, 12)
    last = calendar.monthrange(y, m + 1)[1]
    return day.replace(year=y, month=m + 1, day=min(day.day, last))


def age(born, today):
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def last_fridays(year):
    for month in range(1, 13):
        yield max(w[calendar.FRIDAY] for w in calendar.monthcalendar(year, month))


def workdays(start, end, holidays=frozenset()):
    day = start
    while day < end:
        if day.weekday() < 5 and day not in holidays:
            yield day
        day += timedelta(days=1)


def human(delta):
    minutes, seconds = divmod(int(delta.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = zip((days, hours, minutes, seconds), ("day", "hour", "minute", "second"))
    return ", ".join("%d %s%s" % (n, unit, "s" * (n != 1)) for n, unit in parts if n) or "nothing"


for ordinal in range(700_000, 740_000, 997):
    day = date.fromordinal(ordinal)
    assert day_of_week(day.year, day.month, day.day) == day.weekday()
    assert julian_day(day) == ordinal + 1721425
    assert leap(day.year) == calendar.isleap(day.year)

assert easter(2024) == date(2024, 3, 31) and easter(2025).strftime("%d %B") == "20 April"
assert all(easter(y).weekday() == 6 for y in range(1900, 2100))
assert add_months(date(2023, 1, 31), 1) == date(2023, 2, 28)
assert add_months(date(2024, 3, 15), -15).isoformat() == "2022-12-15"
assert age(date(2000, 2, 29), date(2023, 2, 28)) == 22
assert list(last_fridays(2012))[:4] == [27, 24, 30, 27]
week = list(workdays(date(2024, 12, 23), date(2024, 12, 30), {date(2024, 12, 25)}))
assert [d.day for d in week] == [23, 24, 26, 27]
assert human(timedelta(days=2, seconds=3661)) == "2 days, 1 hour, 1 minute, 1 second"
assert human(timedelta(0)) == "nothing"
unlucky = [f"{d:%Y-%m-%d}" for m in range(1, 13) if (d := date(2015, m, 13)).weekday() == 4]
assert unlucky == ["2015-02-13", "2015-03-13", "2015-11-13"]
moment = dt.datetime.strptime("7 Mar 2021 4:05PM", "%d %b %Y %I:%M%p").replace(tzinfo=dt.timezone.utc)
assert moment.timestamp() == 1615133100 and moment.isoformat() == "2021-03-07T16:05:00+00:00"
east = dt.timezone(timedelta(hours=5, minutes=30), "IST")
assert moment.astimezone(east).strftime("%H:%M %Z") == "21:35 IST"
assert date(2020, 12, 31).isocalendar()[:2] == (2020, 53)
try:
    date(2023, 2, 29)
except ValueError as e:
    print(e, "|", human(date(2024, 1, 1) - date(2023, 1, 1)))
