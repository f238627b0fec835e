from dataclasses import dataclass
from typing import Never, assert_never, LiteralString, Required, NotRequired, TypedDict, TypeVarTuple, Unpack, Generic, reveal_type, Self, TypeGuard, assert_type
from enum import Enum, auto
import re
import contextlib
import tomllib
import operator
from functools import reduce

Ts = TypeVarTuple("Ts")


class Shape(Generic[Unpack[Ts]]):
    def __init__(self, *dims: *Ts) -> None:
        self.dims = dims

    def scale(self, k: int) -> Self:
        return type(self)(*(d * k for d in self.dims))


class Kind(Enum):
    A = auto()
    B = auto()


def label(k: Kind) -> str:
    if k is Kind.A:
        return "a"
    elif k is Kind.B:
        return "b"
    else:
        assert_never(k)


def is_strs(x: list[object]) -> TypeGuard[list[str]]:
    return all(isinstance(i, str) for i in x)


class Opts(TypedDict):
    name: Required[str]
    age: NotRequired[int]


def f(a, b=2, /, c=3, *, d, e=5):
    return a, b, c, d, e


data = [1, 5, 12, 7]
if (n := len(data)) > 3 and any((big := x) > 10 for x in data):
    assert n == 4 and big == 12
while (line := data.pop()) != 5:
    pass
assert data == [1] and line == 5
print([y := 1, y**2, y + 1])
assert Shape(2, 3).scale(2).dims == (4, 6) and label(Kind.B) == "b" and is_strs(["a"])
try:
    label(3)
except AssertionError as e:
    assert "Expected code to be unreachable" in str(e)
cfg = tomllib.loads('title = "x"\n[owner]\ndob = 1979-05-27\nlist = [1, 2]\n')
assert cfg["owner"]["dob"].year == 1979 and cfg["owner"]["list"] == [1, 2]
assert f(1, d=4) == (1, 2, 3, 4, 5)
for bad in (lambda: f(1, 2, 3, 4, d=1), lambda: f(1), lambda: f(a=1, d=2)):
    try:
        bad()
    except TypeError as e:
        assert "f()" in str(e)
first, *rest = "a b c".split()
(x, y), z = [1, 2], 3
d = {"a": 1} | {"b": 2}
d |= {"c": 3}
assert rest == ["b", "c"] and x + y + z == 6 and d == {"a": 1, "b": 2, "c": 3}
with (open_ := contextlib.nullcontext(1)) as one, contextlib.nullcontext(2) as two:
    assert one + two == 3
matrix = [[1, 2], [3, 4]]
assert [[row[i] for row in matrix] for i in range(2)] == [[1, 3], [2, 4]] and sum(map(sum, matrix)) == 10
assert f"{'nested ' + f'{1 + 1}'!r:>12}" == "  'nested 2'" and f"{3.14159:.{2}f}" == "3.14" and rf"\d{n}" == "\\d4"
print(f"{n=}", f"{cfg['title']!s:^5}|", *rest, sep="·")
lst = [3, 1, 2]
lst.sort(key=operator.neg)
assert lst == [3, 2, 1] and "%s" % (lst,) == "[3, 2, 1]" and (*lst, 0) == (3, 2, 1, 0)
assert (lambda: (yield))().__class__.__name__ == "generator"
lookup = {(): 0, (1,): 1, frozenset(): "fs", None: "none", 1.0: "float", "k": ...}
assert lookup[1] == "float" and lookup[None] == "none" and lookup.get((1,)) == 1
assert (0 or [] or "x") == "x" and (1 and 2) == 2 and not (1 > 2 or 3 < 2) and (True, False)[1] is False
