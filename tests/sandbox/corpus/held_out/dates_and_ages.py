import calendar
import time
from datetime import date, datetime, time as dtime, timedelta, timezone


def age(born, today):
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def easter(year):
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    f = (b + 8) // 25
    g = (b - f + 1) // 3
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    month, day = divmod(h + l - 7 * m + 114, 31)
    return date(year, month, day + 1)


def zeller(y, m, d):
    if m < 3:
        m += 12
        y -= 1
    return (d + 13 * (m + 1) // 5 + y + y // 4 - y // 100 + y // 400) % 7


def humanize(delta):
    seconds = int(delta.total_seconds())
    parts = []
    for name, size in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        n, seconds = divmod(seconds, size)
        if n:
            parts.append("%d %s%s" % (n, name, "s"[n == 1:]))
    return ", ".join(parts) or "now"


def add_months(d, n):
    y, m = divmod(d.year * 12 + d.month - 1 + n, 12)
    return d.replace(year=y, month=m + 1, day=min(d.day, calendar.monthrange(y, m + 1)[1]))


def daterange(start, stop, step=timedelta(days=1)):
    while start < stop:
        yield start
        start += step


def workdays(a, b, holidays=()):
    return sum(d.weekday() < 5 and d not in holidays for d in daterange(a, b))


def parse(text):
    for fmt in ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%y", "%d %B %Y", "%Y%m%dT%H%M%S"):
        try:
            return datetime.strptime(text, fmt)
        except ValueError:
            continue
    raise ValueError("no date in %r" % text)


assert age(date(2000, 2, 29), date(2023, 2, 28)) == 22
assert easter(2024) == date(2024, 3, 31) and easter(2000) == date(2000, 4, 23)
assert zeller(2024, 2, 29) == 5 and date(2024, 2, 29).strftime("%A") == "Thursday"
print(humanize(timedelta(days=2, hours=1, seconds=61)), humanize(timedelta()))
assert add_months(date(2024, 1, 31), 1) == date(2024, 2, 29) and add_months(date(2024, 1, 31), -2) == date(2023, 11, 30)
assert workdays(date(2024, 12, 20), date(2025, 1, 2), {date(2024, 12, 25), date(2025, 1, 1)}) == 7
fridays = [d for d in daterange(date(2026, 1, 1), date(2027, 1, 1)) if d.day == 13 and d.weekday() == calendar.FRIDAY]
print([f"{d:%b %d}" for d in fridays])
assert len({parse(t) for t in ("2024-03-05", "05.03.2024", "03/05/24", "5 March 2024")}) == 1
try:
    parse("yesterday")
except ValueError as e:
    print(e)
tz = timezone(timedelta(hours=5, minutes=30), "IST")
t = datetime(2024, 1, 1, 2, 0, tzinfo=tz)
assert t.astimezone(timezone.utc).isoformat() == "2023-12-31T20:30:00+00:00"
assert datetime.fromtimestamp(0, timezone.utc).year == 1970 and datetime.fromisoformat("2024-01-01T02:00:00+05:30") == t
assert date(2024, 12, 30).isocalendar()[:2] == (2025, 1)
assert (date.today() - date(2020, 1, 1)).days > 1000 and datetime.now() > datetime.min
assert dtime(23, 59) > dtime(0) and datetime.combine(date(2024, 1, 1), dtime(12)).hour == 12
print(calendar.month(2024, 2))
assert calendar.isleap(2024) and time.strftime("%d/%m", time.gmtime(86400 * 31)) == "01/02"
