"""Date ranges and recurring events: a little rule language over generators."""
from __future__ import annotations

import calendar
import heapq
from datetime import date, timedelta
from itertools import islice, takewhile

DAY = timedelta(days=1)
WEEKDAYS = {name: i for i, name in enumerate(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])}


class DateRange:
    """All days from start to end, both included."""

    def __init__(self, start: date, end: date):
        if end < start:
            start, end = end, start
        self.start, self.end = start, end

    @classmethod
    def month(cls, year, month):
        return cls(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))

    def __iter__(self):
        day = self.start
        while day <= self.end:
            yield day
            day += DAY

    def __contains__(self, day):
        if isinstance(day, DateRange):
            return day.start in self and day.end in self
        return self.start <= day <= self.end

    def __len__(self):
        return (self.end - self.start).days + 1

    def __and__(self, other):
        start, end = max(self.start, other.start), min(self.end, other.end)
        return DateRange(start, end) if start <= end else None

    def __getitem__(self, i):
        if isinstance(i, slice):
            return list(self)[i]
        day = (self.start if i >= 0 else self.end + DAY) + i * DAY
        if day not in self:
            raise IndexError(i)
        return day

    def __eq__(self, other):
        return isinstance(other, DateRange) and self.__dict__ == other.__dict__

    def __repr__(self):
        return f"<{self.start} .. {self.end}>"


class Rule:
    def __iter__(self):
        raise NotImplementedError

    def __or__(self, other):
        return Union(self, other)

    def __sub__(self, other):
        return Difference(self, other)

    def between(self, start, end):
        for day in self:
            if day > end:
                return
            if day >= start:
                yield day

    def first(self, n):
        return [d.isoformat() for d in islice(self, n)]


class Every(Rule):
    """Every(2, 'weeks', on=['mon', 'fri'])"""

    def __init__(self, n, unit, *, start, on=(), until=date.max - 400 * DAY, nth=None):
        if unit not in {"days", "weeks", "months", "years"}:
            raise ValueError(f"unknown unit {unit!r}")
        self.n, self.unit, self.start, self.until, self.nth = n, unit, start, until, nth
        self.on = sorted(WEEKDAYS[d] for d in on)

    def __iter__(self):
        days = getattr(self, "_" + self.unit)()
        return takewhile(lambda d: d <= self.until, (d for d in days if d >= self.start))

    def _days(self):
        day = self.start
        while day <= self.until:
            yield day
            day += self.n * DAY

    def _weeks(self):
        monday = self.start - self.start.weekday() * DAY
        while monday <= self.until:
            for wd in self.on or [self.start.weekday()]:
                yield monday + wd * DAY
            monday += 7 * self.n * DAY

    def _months(self):
        index = self.start.year * 12 + self.start.month - 1
        while (index // 12) < 9000:
            span = DateRange.month(index // 12, index % 12 + 1)
            if self.nth is not None:
                matching = [d for d in span if d.weekday() in self.on]
                i = self.nth - (self.nth > 0)
                if -len(matching) <= i < len(matching):
                    yield matching[i]
            elif self.start.day <= len(span):
                yield span[self.start.day - 1]
            index += self.n

    def _years(self):
        for year in range(self.start.year, 9000, self.n):
            try:
                yield self.start.replace(year=year)
            except ValueError:  # the 29th of February
                pass


class Union(Rule):
    def __init__(self, *rules):
        self.rules = rules

    def __iter__(self):
        last = None
        for day in heapq.merge(*self.rules):
            if day != last:
                yield day
            last = day


class Difference(Rule):
    def __init__(self, rule, *exceptions):
        self.rule, self.exceptions = rule, exceptions

    def __iter__(self):
        skip = {d for e in self.exceptions if not isinstance(e, Rule) for d in e}
        yield from (d for d in self.rule if d not in skip)


def agenda(span, **rules):
    rows = ((day, name) for name, rule in rules.items() for day in rule.between(span.start, span.end))
    return [f"{day:%a %d} {name}" for day, name in sorted(rows)]


jan = DateRange.month(2024, 1)
feb = DateRange.month(2024, 2)
assert len(feb) == 29 and feb[-1] == date(2024, 2, 29) and feb[0].day == 1
assert (jan & DateRange(date(2024, 1, 30), date(2024, 3, 1))) == DateRange(date(2024, 1, 31), date(2024, 1, 30))
assert jan & feb is None and date(2024, 2, 1) not in jan and DateRange(jan[3], jan[5]) in jan
try:
    jan[31]
except IndexError as e:
    assert e.args == (31,)
start = date(2024, 1, 31)
assert Every(10, "days", start=start).first(3) == ["2024-01-31", "2024-02-10", "2024-02-20"]
assert Every(1, "months", start=start).first(3) == ["2024-01-31", "2024-03-31", "2024-05-31"]
assert Every(1, "years", start=date(2024, 2, 29)).first(2) == ["2024-02-29", "2028-02-29"]
gym = Every(2, "weeks", on=["tue", "fri"], start=date(2024, 1, 3))
assert gym.first(4) == ["2024-01-05", "2024-01-16", "2024-01-19", "2024-01-30"]
payday = Every(1, "months", on=["fri"], nth=-1, start=date(2024, 1, 1))
assert payday.first(2) == ["2024-01-26", "2024-02-23"]
both = (gym | payday) - [date(2024, 1, 16)]
assert both.first(4) == ["2024-01-05", "2024-01-19", "2024-01-26", "2024-01-30"]
text = agenda(jan, gym=gym, payday=payday, yoga=Every(1, "weeks", start=date(2023, 12, 31), until=jan[14]))
print("\n".join(text))
assert text == ["Fri 05 gym", "Sun 07 yoga", "Sun 14 yoga", "Tue 16 gym", "Fri 19 gym", "Fri 26 payday", "Tue 30 gym"]
try:
    Every(1, "eons", start=start)
except ValueError as e:
    assert str(e) == "unknown unit 'eons'"
