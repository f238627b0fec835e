"""Dates, times, time zones: own tzinfo, fixed offsets, zoneinfo, parsing and formatting."""
import re
import time
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, time as Time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

HOUR = timedelta(hours=1)
ZERO = timedelta(0)


class USEastern(tzinfo):
    """Eastern time with the rules since 2007."""

    def utcoffset(self, dt):
        return timedelta(hours=-5) + self.dst(dt)

    def dst(self, dt):
        if dt is None:
            return ZERO
        start, end = self._range(dt.year)
        return HOUR if start <= dt.replace(tzinfo=None) < end else ZERO

    def tzname(self, dt):
        return "EDT" if self.dst(dt) else "EST"

    def _range(self, year):
        start = first_sunday_on_or_after(datetime(year, 3, 8, 2))
        end = first_sunday_on_or_after(datetime(year, 11, 1, 2))
        return start, end

    def __repr__(self):
        return self.__class__.__name__ + '()'


def first_sunday_on_or_after(dt):
    days_to_go = 6 - dt.weekday()
    if days_to_go:
        dt += timedelta(days_to_go)
    return dt


def humanize(delta):
    seconds = int(delta.total_seconds())
    sign = '-' if seconds < 0 else ''
    seconds = abs(seconds)
    parts = []
    for name, size in (('d', 86400), ('h', 3600), ('m', 60), ('s', 1)):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append('%d%s' % (count, name))
    return sign + (' '.join(parts) or '0s')


def parse_duration(text):
    units = dict(w='weeks', d='days', h='hours', m='minutes', s='seconds')
    pieces = re.findall(r'(\d+(?:\.\d+)?)\s*([wdhms])', text)
    if not pieces:
        raise ValueError('not a duration: %r' % text)
    return sum((timedelta(**{units[u]: float(n)}) for n, u in pieces), start=timedelta())


def age(born, today):
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def daterange(start, stop, step=timedelta(days=1)):
    while start < stop:
        yield start
        start += step


def add_months(d, n):
    years, month = divmod(d.month - 1 + n, 12)
    year = d.year + years
    for day in (d.day, 30, 29, 28):
        try:
            return d.replace(year=year, month=month + 1, day=day)
        except ValueError:
            pass


class Clock:
    """A clock that can be turned."""

    def __init__(self, now=datetime(2024, 1, 1, tzinfo=UTC)):
        self.now = now

    def __call__(self, tz=None):
        return self.now.astimezone(tz) if tz else self.now

    def tick(self, **kw):
        self.now += timedelta(**kw)
        return self


def test_arithmetic():
    d1, d2 = date(2024, 2, 28), date(2024, 3, 1)
    assert (d2 - d1).days == 2 and d1 + timedelta(days=1) == date(2024, 2, 29)
    assert humanize(datetime(2024, 1, 2, 3, 4, 5) - datetime(2024, 1, 1)) == '1d 3h 4m 5s'
    assert humanize(timedelta()) == '0s' and humanize(timedelta(minutes=-90)) == '-1h 30m'
    assert parse_duration('1h 30m') == timedelta(minutes=90) == 3 * timedelta(minutes=30)
    assert parse_duration('2w1.5d').days == 15
    try:
        parse_duration('soon')
    except ValueError as e:
        assert "'soon'" in str(e)
    assert timedelta(hours=7) // timedelta(hours=2) == 3 and timedelta(hours=7) % timedelta(hours=2) == HOUR
    assert timedelta(days=1) / 2 == timedelta(hours=12) and abs(-HOUR) == HOUR and HOUR / timedelta(minutes=1) == 60
    assert age(date(2000, 2, 29), date(2023, 2, 28)) == 22
    assert [d.day for d in daterange(date(2024, 1, 30), date(2024, 2, 2))] == [30, 31, 1]
    assert add_months(date(2024, 1, 31), 1) == date(2024, 2, 29) and add_months(date(2024, 3, 31), -13) == date(2023, 2, 28)
    assert str(timedelta(days=-1, seconds=3)) == '-1 day, 0:00:03' and repr(HOUR) == 'datetime.timedelta(seconds=3600)'
    assert (MINYEAR, MAXYEAR) == (date.min.year, datetime.max.year)


def test_text():
    dt = datetime(2006, 11, 21, 16, 30, 5, 1234)
    assert dt.isoformat() == '2006-11-21T16:30:05.001234' and dt.isoformat(' ', 'minutes') == '2006-11-21 16:30'
    assert datetime.fromisoformat('2011-11-04T00:05:23+04:00').utcoffset() == timedelta(hours=4)
    assert datetime.fromisoformat('20111104T000523Z').tzinfo == UTC
    assert datetime.strptime('21/11/06 16:30', '%d/%m/%y %H:%M') == dt.replace(second=0, microsecond=0)
    assert dt.strftime('%A, %d. %B %Y %I:%M%p') == 'Tuesday, 21. November 2006 04:30PM'
    assert dt.isocalendar() == (2006, 47, 2) and date.fromisocalendar(2006, 47, 2) == dt.date()
    assert dt.timetuple().tm_yday == 325 and date.fromordinal(dt.toordinal()) == dt.date()
    assert datetime.combine(date(2024, 5, 6), Time(7, 8)) == datetime(2024, 5, 6, 7, 8)
    assert f'{dt:%H:%M}' == '16:30' and dt.ctime() == 'Tue Nov 21 16:30:05 2006'
    assert time.strftime('%Y', time.gmtime(0)) == '1970' and time.monotonic() <= time.monotonic()


def test_zones():
    eastern = USEastern()
    winter, summer = datetime(2024, 1, 15, 12, tzinfo=eastern), datetime(2024, 7, 15, 12, tzinfo=eastern)
    assert (winter.tzname(), summer.tzname()) == ('EST', 'EDT')
    assert summer.astimezone(UTC).hour == 16 and winter.isoformat().endswith('-05:00')
    assert repr(eastern) == 'USEastern()'
    new_york = ZoneInfo('America/New_York')
    assert winter == winter.astimezone(new_york) and summer.utcoffset() == summer.replace(tzinfo=new_york).utcoffset()
    ist = timezone(timedelta(hours=5, minutes=30), 'IST')
    moment = datetime(2024, 3, 10, 6, 59, tzinfo=UTC)
    assert moment.astimezone(ist).strftime('%H:%M %Z') == '12:29 IST'
    before, after = moment.astimezone(new_york), (moment + timedelta(minutes=1)).astimezone(new_york)
    assert (before.hour, after.hour) == (1, 3)
    twice = datetime(2024, 11, 3, 1, 30, tzinfo=new_york)
    assert twice.utcoffset() - twice.replace(fold=1).utcoffset() == HOUR
    assert datetime.fromtimestamp(0, UTC).year == 1970 and moment.timestamp() == 1710053940.0
    try:
        datetime(2024, 1, 1) < moment
    except TypeError as e:
        assert 'naive and offset-aware' in str(e).replace('offset-naive', 'naive')
    try:
        ZoneInfo('Mars/Olympus')
    except ZoneInfoNotFoundError as e:
        assert isinstance(e, KeyError)
    clock = Clock()
    assert clock.tick(hours=36)(ist).isoformat() == '2024-01-02T17:30:00+05:30'
    assert datetime.now(UTC) > clock() and date.today().year >= 2024


if __name__ == '__main__':
    test_arithmetic()
    test_text()
    test_zones()
