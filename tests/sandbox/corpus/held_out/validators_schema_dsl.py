import re
from datetime import date

class Invalid(Exception):
    def __init__(self, errors):
        self.errors = errors
        super().__init__("; ".join(f"{path or '.'}: {msg}" for path, msg in errors))


class Schema:
    def __init__(self):
        self.checks = []
        self._default = ...
        self._nullable = False

    def check(self, test, message):
        self.checks.append((test, message))
        return self

    def default(self, value):
        self._default = value
        return self

    def nullable(self):
        self._nullable = True
        return self

    def convert(self, value, path, errors):
        return value

    def run(self, value, path, errors):
        if value is None and self._nullable:
            return None
        before = len(errors)
        value = self.convert(value, path, errors)
        if len(errors) == before:
            for test, message in self.checks:
                try:
                    ok = test(value)
                except Exception as e:
                    ok, message = False, f"{type(e).__name__}: {e}"
                if not ok:
                    errors.append((path, message.format(value=value)))
        return value

    def parse(self, value):
        errors = []
        result = self.run(value, "", errors)
        if errors:
            raise Invalid(errors)
        return result

    def __or__(self, other):
        return AnyOf(self, other)


class Of(Schema):
    def __init__(self, kind, coerce=None):
        super().__init__()
        self.kind, self.coerce = kind, coerce

    def convert(self, value, path, errors):
        if self.coerce and not isinstance(value, self.kind):
            try:
                value = self.coerce(value)
            except (TypeError, ValueError):
                pass
        if not isinstance(value, self.kind) or (self.kind is int and isinstance(value, bool)):
            errors.append((path, f"expected {self.kind.__name__}, got {type(value).__name__}"))
        return value

    def min(self, n):
        size = len if self.kind is str else lambda v: v
        return self.check(lambda v: size(v) >= n, f"{{value!r}} is below {n}")

    def max(self, n):
        size = len if self.kind is str else lambda v: v
        return self.check(lambda v: size(v) <= n, f"{{value!r}} is above {n}")

    def matches(self, pattern):
        return self.check(re.compile(pattern).fullmatch, f"{{value!r}} does not match {pattern}")


class ListOf(Schema):
    def __init__(self, item):
        super().__init__()
        self.item = item

    def convert(self, value, path, errors):
        if not isinstance(value, list):
            errors.append((path, "expected a list"))
            return value
        return [self.item.run(v, f"{path}[{i}]", errors) for i, v in enumerate(value)]


class Shape(Schema):
    def __init__(self, **fields):
        super().__init__()
        self.fields = fields

    def convert(self, value, path, errors):
        if not isinstance(value, dict):
            errors.append((path, "expected an object"))
            return value
        out, prefix = {}, path + "." if path else ""
        for name, schema in self.fields.items():
            if name in value:
                out[name] = schema.run(value[name], prefix + name, errors)
            elif schema._default is not ...:
                d = schema._default
                out[name] = d() if callable(d) else d
            else:
                errors.append((prefix + name, "is required"))
        for extra in value.keys() - self.fields.keys():
            errors.append((prefix + extra, "is unknown"))
        return out


class AnyOf(Schema):
    def __init__(self, *options):
        super().__init__()
        self.options = options

    def convert(self, value, path, errors):
        for o in self.options:
            trial = []
            result = o.run(value, path, trial)
            if not trial:
                return result
        errors.append((path, f"none of {len(self.options)} alternatives fits"))


Str, Int = lambda: Of(str), lambda: Of(int, coerce=int)
user = Shape(
    name=Str().min(2).matches(r"[A-Z]\w+"),
    age=Int().min(0).max(150),
    born=Of(date, coerce=date.fromisoformat).nullable().default(None),
    tags=ListOf(Str().max(5)).default(list),
    id=Int() | Str().matches("u\\d+"),
)
good = user.parse({"name": "Ann", "age": "41", "born": "1983-02-28", "id": "u7"})
print(good)
assert good == {"name": "Ann", "age": 41, "born": date(1983, 2, 28), "tags": [], "id": "u7"}
try:
    user.parse({"name": "x", "age": 200, "tags": ["ok", "too long", 3], "id": [], "zip": 1, "born": None})
except Invalid as e:
    for path, message in e.errors:
        print(f"{path:8} {message}")
    assert [p for p, _ in e.errors] == ["name", "name", "age", "tags[1]", "tags[2]", "id", "zip"]
assert user.parse({"name": "Bo", "age": 1, "id": 3})["tags"] is not user.parse({"name": "Bo", "age": 1, "id": 3})["tags"]
