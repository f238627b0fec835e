import calendar
from calendar import Calendar, TextCalendar, HTMLCalendar, monthrange, isleap
from collections import OrderedDict
from datetime import date, timedelta
import itertools

holidays = {date(2024, 1, 1): 'New Year', date(2024, 12, 25): 'Christmas', date(2024, 12, 26): 'Boxing Day'}


class MarkedCalendar(TextCalendar):
    """A text calendar which puts stars on marked days."""

    def __init__(self, marked, firstweekday=0):
        TextCalendar.__init__(self, firstweekday)
        self.marked = set(marked)

    def formatweek(self, theweek, width):
        cells = []
        for d, wd in theweek:
            if d == 0:
                cells.append(' ' * width)
            elif d in self.marked:
                cells.append('*'.rjust(width))
            else:
                cells.append(self.formatday(d, wd, width))
        return ' '.join(cells)


class BusinessCalendar(object):
    def __init__(self, holidays=(), weekend=(calendar.SATURDAY, calendar.SUNDAY)):
        self._holidays = frozenset(holidays)
        self._weekend = weekend

    def is_open(self, day):
        return day.weekday() not in self._weekend and day not in self._holidays

    def add(self, day, n):
        step = timedelta(days=1 if n >= 0 else -1)
        n = abs(n)
        while n > 0:
            day = day + step
            if self.is_open(day):
                n = n - 1
        return day

    def between(self, a, b):
        if a > b:
            return -self.between(b, a)
        total = 0
        while a < b:
            total += self.is_open(a)
            a += timedelta(1)
        return total

    def __contains__(self, day):
        return self.is_open(day)


def easter(year):
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    month, day = divmod(h + l - 7 * m + 114, 31)
    return date(year, month, day + 1)


def nth_weekday(year, month, weekday, n):
    days = [d for d in Calendar().itermonthdates(year, month) if d.month == month and d.weekday() == weekday]
    return days[n - 1 if n > 0 else n]


def fridays_13(year):
    return [m for m in range(1, 13) if date(year, m, 13).weekday() == calendar.FRIDAY]


def quarter(d):
    return (d.month - 1) // 3 + 1


def sakamoto(y, m, d):
    """Day of week, 0 is Sunday."""
    t = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
    if m < 3:
        y -= 1
    return (y + y // 4 - y // 100 + y // 400 + t[m - 1] + d) % 7


assert monthrange(2024, 2) == (calendar.THURSDAY, 29)
assert isleap(2000) and not isleap(1900)
assert calendar.leapdays(2000, 2025) == 7
assert calendar.monthcalendar(2024, 2)[0] == [0, 0, 0, 1, 2, 3, 4]
assert calendar.day_name[0] == 'Monday' and calendar.month_abbr[12] == 'Dec'
assert list(calendar.Calendar(6).iterweekdays()) == [6, 0, 1, 2, 3, 4, 5]
assert calendar.timegm((1970, 1, 2, 0, 0, 0)) == 86400
assert calendar.weekday(2024, 7, 4) == 3

text = MarkedCalendar({14}).formatmonth(2024, 2)
print(text)
assert text.splitlines()[4] == '12 13  * 15 16 17 18'
html = HTMLCalendar(calendar.SUNDAY).formatmonth(2024, 2)
assert html.count('<td class="thu">') == 5 and 'February 2024' in html

work = BusinessCalendar(holidays)
assert date(2024, 12, 25) not in work and date(2024, 12, 24) in work
assert work.add(date(2024, 12, 24), 1) == date(2024, 12, 27)
assert work.add(date(2024, 1, 2), -1) == date(2023, 12, 29)
assert work.between(date(2024, 12, 1), date(2025, 1, 1)) == 20
assert work.between(date(2024, 1, 8), date(2024, 1, 1)) == -4

assert [easter(y).isoformat() for y in (2000, 2024, 2025)] == ['2000-04-23', '2024-03-31', '2025-04-20']
assert nth_weekday(2024, 11, calendar.THURSDAY, 4) == date(2024, 11, 28)
assert nth_weekday(2024, 5, calendar.MONDAY, -1) == date(2024, 5, 27)
assert fridays_13(2026) == [2, 3, 11] and fridays_13(2024) == [9, 12]

by_quarter = OrderedDict()
for q, days in itertools.groupby((date(2024, 1, 1) + timedelta(n) for n in range(366)), key=quarter):
    by_quarter[q] = sum(1 for _ in days)
assert list(by_quarter.items()) == [(1, 91), (2, 91), (3, 92), (4, 92)]

for when in (date(2024, 3, 15), date(1999, 12, 31), date(2000, 2, 29)):
    assert sakamoto(when.year, when.month, when.day) == when.isoweekday() % 7
print(', '.join('%s: %s' % (d.strftime('%d %b'), n) for d, n in sorted(holidays.items())))
