from __future__ import annotations
import math
from functools import singledispatchmethod


class Vec:
    __match_args__ = ("x", "y")

    def __init__(self, x=0.0, y=0.0):
        self.x, self.y = x, y

    def __iter__(self):
        yield self.x
        yield self.y

    def __repr__(self):
        return f"Vec({self.x:g}, {self.y:g})"

    def __eq__(self, o):
        return isinstance(o, Vec) and tuple(self) == tuple(o)

    def __hash__(self):
        return hash((self.x, self.y))

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y) if isinstance(o, Vec) else NotImplemented

    def __iadd__(self, o):
        self.x += o.x
        self.y += o.y
        return self

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    def __rmul__(self, k):
        return self * k

    def __matmul__(self, o):
        return self.x * o.x + self.y * o.y

    def __abs__(self):
        return math.hypot(*self)

    def __bool__(self):
        return any(self)

    def __neg__(self):
        return self * -1

    def __pos__(self):
        return Vec(*self)

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __setitem__(self, i, v):
        setattr(self, "xy"[i], v)

    def __divmod__(self, k):
        return Vec(self.x // k, self.y // k), Vec(self.x % k, self.y % k)

    def __floor__(self):
        return Vec(math.floor(self.x), math.floor(self.y))

    def __complex__(self):
        return complex(self.x, self.y)


class Expr:
    """Builds an expression text by operators."""

    def __init__(self, s):
        self.s = s

    def _op(sym, swap=False):
        def fn(self, o):
            o = o.s if isinstance(o, Expr) else repr(o)
            a, b = (o, self.s) if swap else (self.s, o)
            return Expr(f"({a} {sym} {b})")
        return fn

    __add__, __radd__ = _op("+"), _op("+", True)
    __sub__, __rsub__ = _op("-"), _op("-", True)
    __truediv__, __pow__ = _op("/"), _op("**")
    __lt__, __eq__, __and__ = _op("<"), _op("=="), _op("and")
    __getitem__ = lambda self, k: Expr(f"{self.s}[{k!r}]")
    __invert__ = lambda self: Expr(f"not {self.s}")
    del _op

    def __call__(self, *args, **kw):
        inside = [repr(a) for a in args] + [f"{k}={v!r}" for k, v in kw.items()]
        return Expr(f"{self.s}({', '.join(inside)})")

    def __getattr__(self, n):
        if n.startswith("__"):
            raise AttributeError(n)
        return Expr(f"{self.s}.{n}")


class Temp(float):
    def __new__(cls, v, unit="C"):
        self = super().__new__(cls, v)
        self.unit = unit
        return self

    def __repr__(self):
        return f"{float(self):.1f}°{self.unit}"


class Path:
    def __init__(self, *parts):
        self.parts = parts

    def __truediv__(self, o):
        return Path(*self.parts, str(o))

    def __rtruediv__(self, o):
        return Path(o, *self.parts)

    def __str__(self):
        return "/".join(self.parts)

    def __fspath__(self):
        return str(self)

    def __len__(self):
        return len(self.parts)


v, w = Vec(3, 4), Vec(1, -1)
assert abs(v) == 5 and v + w == Vec(4, 3) and 2 * v == v * 2 and v @ w == -1 and -v == Vec(-3, -4)
u = v
u += w
assert u is v and v == Vec(4, 3) and not Vec() and v[1] == 3 and +v is not v
v[0] = 9
assert v.x == 9 and divmod(v, 2) == (Vec(4, 1), Vec(1, 1)) and math.floor(Vec(1.5, 2.5)) == Vec(1, 2) and complex(w) == 1 - 1j
try:
    v + 1
except TypeError as e:
    assert "unsupported operand" in str(e)
match v:
    case Vec(0, 0):
        raise AssertionError
    case Vec(x, y) if x > y:
        assert (x, y) == (9, 3)
x = Expr("x")
assert ((1 + x) ** 2 - x / 3).s == "(((1 + x) ** 2) - (x / 3))"
assert (~x.name.upper(1, k="z")["i"]).s == "not x.name.upper(1, k='z')['i']"
assert ((x < 3) & (x == 4)).s == "((x < 3) and (x == 4))"
t = Temp(36.6)
assert repr(t) == "36.6°C" and t + 1 == 37.6 and t.unit == "C"
assert str("root" / Path("a") / "b" / 3) == "root/a/b/3" and len({Vec(1, 2): 1, Vec(1, 2): 2}) == 1
print(v, sum([Vec(1, 1), Vec(2, 2)], Vec()))
