from datetime import datetime, timedelta

FIELDS = [("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 6)]
MONTHS = {name: i for i, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
DAYS = dict(zip("sun mon tue wed thu fri sat".split(), range(7)))
ALIASES = {"@yearly": "0 0 1 1 *", "@daily": "0 0 * * *", "@hourly": "0 * * * *"}


class CronError(ValueError):
    pass


class Cron:
    def __init__(self, expression: str):
        self.expression = ALIASES.get(expression, expression)
        parts = self.expression.split()
        if len(parts) != 5:
            raise CronError(f"expected 5 fields, got {len(parts)}")
        for part, (name, lo, hi) in zip(parts, FIELDS):
            setattr(self, name + "s", self._field(part, lo, hi, name))
        self._any_day = parts[2] == "*" or parts[4] == "*"

    @staticmethod
    def _number(text, name):
        names = {"month": MONTHS, "weekday": DAYS}.get(name, {})
        try:
            return names[text.lower()] if text.lower() in names else int(text)
        except ValueError:
            raise CronError(f"{name}: {text!r}?") from None

    @classmethod
    def _field(cls, part, lo, hi, name):
        allowed = set()
        for piece in part.split(","):
            piece, slash, step = piece.partition("/")
            step = int(step) if slash else 1
            if piece == "*":
                first, last = lo, hi
            elif "-" in piece:
                first, last = (cls._number(p, name) for p in piece.split("-"))
            else:
                first = cls._number(piece, name)
                last = hi if slash else first
            if not lo <= first <= last <= hi:
                raise CronError(f"{name} out of range: {piece}")
            allowed.update(range(first, last + 1, step))
        return allowed

    def matches(self, t: datetime) -> bool:
        if t.minute not in self.minutes or t.hour not in self.hours or t.month not in self.months:
            return False
        day, weekday = t.day in self.days, t.isoweekday() % 7 in self.weekdays
        return day and weekday if self._any_day else day or weekday

    def after(self, t: datetime):
        t = t.replace(second=0, microsecond=0) + timedelta(minutes=1)
        limit = t + timedelta(days=366 * 4)
        while t < limit:
            if t.month not in self.months:
                t = (t.replace(day=1, hour=0, minute=0) + timedelta(days=32)).replace(day=1)
            elif t.hour not in self.hours:
                t = t.replace(minute=0) + timedelta(hours=1)
            else:
                if self.matches(t):
                    yield t
                t += timedelta(minutes=1)


def upcoming(expr, start, n):
    gen = Cron(expr).after(start)
    return [next(gen) for _ in range(n)]


start = datetime(2024, 2, 28, 23, 50)
for expr, expected in {
    "*/15 * * * *": ["2024-02-29 00:00", "2024-02-29 00:15"],
    "0 9 * * mon-fri": ["2024-02-29 09:00", "2024-03-01 09:00"],
    "30 12 29 feb *": ["2024-02-29 12:30"],
    "0 0 1,15 * *": ["2024-03-01 00:00", "2024-03-15 00:00"],
    "@daily": ["2024-02-29 00:00"],
    "5/20 8-9 * 3 6": ["2024-03-02 08:05", "2024-03-02 08:25"],
}.items():
    got = [f"{t:%Y-%m-%d %H:%M}" for t in upcoming(expr, start, len(expected))]
    print(expr.ljust(18), *got)
    assert got == expected, got

for bad in ("* * *", "61 * * * *", "* * * foo *", "5-1 * * * *"):
    try:
        Cron(bad)
    except CronError as err:
        print(bad, "->", err)
    else:
        raise AssertionError(bad)
