from __future__ import annotations
import csv
import io
import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from statistics import mean
from typing import Any


class Col:
    def __init__(self, fn: Callable[[Mapping], Any], name: str = "?"):
        self.fn, self.name = fn, name

    def alias(self, name):
        return Col(self.fn, name)

    def __repr__(self):
        return f"Col<{self.name}>"

    def isin(self, xs):
        s = set(xs)
        return Col(lambda r: self.fn(r) in s, f"{self.name} in {sorted(s)}")

    def __invert__(self):
        return Col(lambda r: not self.fn(r), f"~{self.name}")

    __hash__ = object.__hash__


def _install(name, sym, fn, reverse=False):
    def method(self, other):
        of = other.fn if isinstance(other, Col) else (lambda r: other)
        on = other.name if isinstance(other, Col) else repr(other)
        a, b, an, bn = (of, self.fn, on, self.name) if reverse else (self.fn, of, self.name, on)
        return Col(lambda r: fn(a(r), b(r)), f"({an} {sym} {bn})")
    setattr(Col, name, method)


for n, s, f in [("add", "+", operator.add), ("sub", "-", operator.sub), ("mul", "*", operator.mul), ("truediv", "/", operator.truediv), ("gt", ">", operator.gt), ("lt", "<", operator.lt), ("ge", ">=", operator.ge), ("eq", "==", operator.eq), ("and", "&", lambda a, b: a and b), ("or", "|", lambda a, b: a or b)]:
    _install(f"__{n}__", s, f)
_install("__rmul__", "*", operator.mul, reverse=True)


def col(name):
    return Col(operator.itemgetter(name), name)


class Frame:
    def __init__(self, rows: Iterable[Mapping]):
        self._rows = list(rows)

    @classmethod
    def read_csv(cls, text, **types):
        return cls({k: types.get(k, str)(v) for k, v in r.items()} for r in csv.DictReader(io.StringIO(text)))

    def __len__(self): return len(self._rows)
    def __iter__(self) -> Iterator[Mapping]: return iter(self._rows)

    def __getitem__(self, key):
        match key:
            case str():
                return [r[key] for r in self]
            case Col():
                return Frame(r for r in self if key.fn(r))
            case slice():
                return Frame(self._rows[key])
            case [*names]:
                return Frame({n: r[n] for n in names} for r in self)
        raise TypeError(f"cannot index by {type(key).__name__}")

    def assign(self, **cols):
        return Frame({**r, **{k: c.fn(r) for k, c in cols.items()}} for r in self)

    def sort(self, by, reverse=False):
        return Frame(sorted(self, key=by.fn if isinstance(by, Col) else operator.itemgetter(by), reverse=reverse))

    def group(self, by, **aggs):
        groups = defaultdict(list)
        for r in self:
            groups[r[by]].append(r)
        return Frame({by: k, **{n: fn([r[c] for r in rows]) for n, (c, fn) in aggs.items()}} for k, rows in groups.items())

    def join(self, other, on):
        index = defaultdict(list)
        for r in other:
            index[r[on]].append(r)
        return Frame({**l, **r} for l in self for r in index[l[on]])

    def __str__(self):
        if not self._rows:
            return "(empty)"
        names = list(self._rows[0])
        cells = [names] + [[str(r[n]) for n in names] for r in self]
        w = [max(map(len, c)) for c in zip(*cells)]
        return "\n".join("  ".join(c.rjust(n) for c, n in zip(row, w)) for row in cells)


df = Frame.read_csv("name,team,score\nann,red,5\nbob,blue,7\ncid,red,9\n", score=int)
assert df[(col("score") > 5) & (col("team") == "red")]["name"] == ["cid"]
assert df[~col("name").isin(["ann", "bob"])]["score"] == [9] and repr(2 * col("a") + 1) == "Col<((2 * a) + 1)>" or repr(2 * col("a"))
g = df.group("team", total=("score", sum), avg=("score", mean), n=("name", len)).sort("total", reverse=True)
print(g)
assert g["total"] == [14, 7] and str(g).splitlines()[1].split() == ["red", "14", "7", "2"]
assert df.assign(double=col("score") * 2)[["name", "double"]][:1]._rows == [{"name": "ann", "double": 10}]
assert df.join(Frame([{"team": "red", "city": "Rome"}]), "team")["city"] == ["Rome", "Rome"] and str(df[col("score") > 99]) == "(empty)"
try:
    df[1.5]
except TypeError as e:
    assert str(e) == "cannot index by float"
