from __future__ import annotations
import operator
from functools import reduce
from typing import Any, Callable, Iterable, Iterator


class F:
    """Builds predicates: F.age > 3 & F.name.startswith('x')"""

    def __init__(self, getter, text):
        self._get, self._text = getter, text

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        get = self._get
        return F(lambda row: get(row)[name], f"{self._text}.{name}")

    def __getitem__(self, key):
        get = self._get
        return F(lambda row: get(row)[key], f"{self._text}[{key!r}]")

    def _binary(self, op, other, symbol):
        get = self._get
        rhs = other._get if isinstance(other, F) else lambda row: other
        text = other._text if isinstance(other, F) else repr(other)
        return F(lambda row: op(get(row), rhs(row)), f"({self._text} {symbol} {text})")

    def __call__(self, row):
        return self._get(row)

    def __repr__(self):
        return self._text

    __hash__ = None


for _name, _symbol in [("eq", "=="), ("ne", "!="), ("lt", "<"), ("gt", ">"), ("ge", ">="), ("le", "<="),
                       ("add", "+"), ("sub", "-"), ("mul", "*"), ("mod", "%")]:
    def _method(self, other, op=getattr(operator, _name), symbol=_symbol):
        return self._binary(op, other, symbol)
    setattr(F, f"__{_name}__", _method)

F.__and__ = lambda self, o: self._binary(lambda a, b: bool(a and b), o, "&")
F.__or__ = lambda self, o: self._binary(lambda a, b: bool(a or b), o, "|")
F.__invert__ = lambda self: F(lambda r: not self(r), f"~{self._text}")

X = F(lambda row: row, "X")


class Query:
    def __init__(self, rows: Iterable[dict]):
        self._rows = rows

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rows)

    def where(self, pred) -> Query:
        return Query(r for r in self if pred(r))

    def select(self, *names, **computed) -> Query:
        return Query({**{n: r[n] for n in names}, **{k: f(r) for k, f in computed.items()}} for r in self)

    def order_by(self, key, desc=False) -> Query:
        return Query(sorted(self, key=key, reverse=desc))

    def group(self, key, **aggs: Callable) -> Query:
        groups: dict[Any, list] = {}
        for r in self:
            groups.setdefault(key(r), []).append(r)
        return Query({"key": k, **{n: a(v) for n, a in aggs.items()}} for k, v in groups.items())

    def join(self, other, on) -> Query:
        other = list(other)
        return Query(a | b for a in self for b in other if a[on] == b[on])

    def first(self):
        return next(iter(self), None)

    def to_list(self):
        return list(self)


people = [dict(name=n, age=a, city=c) for n, a, c in
          [("Ann", 31, "Oslo"), ("Bob", 25, "Rome"), ("Cid", 40, "Oslo"), ("Dee", 19, "Bonn")]]
cities = [{"city": "Oslo", "country": "NO"}, {"city": "Rome", "country": "IT"}]

pred = (X.age > 20) & (X.city == "Oslo") | (X.name == "Dee")
print(pred, ~pred)
assert [r["name"] for r in Query(people).where(pred)] == ["Ann", "Cid", "Dee"]
assert Query(people).where(~pred).first()["name"] == "Bob"
assert Query(people).order_by(X.age, desc=True).select("name", double=X.age * 2).first() == {"name": "Cid", "double": 80}
grouped = Query(people).group(X.city, n=len, oldest=lambda rs: max(r["age"] for r in rs)).to_list()
print(grouped)
assert grouped[0] == {"key": "Oslo", "n": 2, "oldest": 40}
joined = Query(people).join(cities, on="city").where(X.country == "IT").to_list()
assert joined == [{"name": "Bob", "age": 25, "city": "Rome", "country": "IT"}]
assert reduce(operator.and_, [X.age > 1, X.age < 20, X["city"] != "Oslo"])(people[3])
try:
    {X.age: 1}
except TypeError as e:
    print(e)
