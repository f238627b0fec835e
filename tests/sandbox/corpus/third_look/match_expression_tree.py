from __future__ import annotations
from dataclasses import dataclass
from typing import Union


@dataclass(frozen=True)
class Num:
    value: float


@dataclass(frozen=True)
class Var:
    name: str


@dataclass(frozen=True)
class BinOp:
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Neg:
    arg: Expr


Expr = Union[Num, Var, BinOp, Neg]


def evaluate(e: Expr, env: dict[str, float]) -> float:
    match e:
        case Num(v):
            return v
        case Var(name) if name in env:
            return env[name]
        case Var(name):
            raise NameError(f"unbound {name}")
        case Neg(arg=a):
            return -evaluate(a, env)
        case BinOp("+" | "-" as op, l, r):
            a, b = evaluate(l, env), evaluate(r, env)
            return a + b if op == "+" else a - b
        case BinOp(op="*", left=l, right=r):
            return evaluate(l, env) * evaluate(r, env)
        case BinOp(op=op):
            raise ValueError(f"bad op {op!r}")


def simplify(e: Expr) -> Expr:
    match e:
        case BinOp("*", Num(0), _) | BinOp("*", _, Num(0)):
            return Num(0)
        case BinOp("*", Num(1), x) | BinOp("*", x, Num(1)):
            return simplify(x)
        case BinOp("+", Num(0), x) | BinOp("+", x, Num(0)):
            return simplify(x)
        case BinOp(op, Num(a), Num(b)):
            return Num(evaluate(BinOp(op, Num(a), Num(b)), {}))
        case BinOp(op, l, r):
            s = BinOp(op, simplify(l), simplify(r))
            return s if s == e else simplify(s)
        case Neg(Neg(x)):
            return simplify(x)
        case _:
            return e


def diff(e: Expr, x: str) -> Expr:
    match e:
        case Num():
            return Num(0)
        case Var(n):
            return Num(1 if n == x else 0)
        case BinOp("+" | "-" as op, l, r):
            return BinOp(op, diff(l, x), diff(r, x))
        case BinOp("*", l, r):
            return BinOp("+", BinOp("*", diff(l, x), r), BinOp("*", l, diff(r, x)))
        case Neg(a):
            return Neg(diff(a, x))


def describe(obj):
    match obj:
        case []:
            return "empty"
        case [x]:
            return f"one {x}"
        case [x, *rest] if len(rest) > 3:
            return f"long starting {x}"
        case [int(x), int(y)]:
            return f"pair {x + y}"
        case {"type": "circle", "r": (int() | float()) as r, **rest}:
            return f"circle {r} {sorted(rest)}"
        case {}  if obj == {}:
            return "empty dict"
        case str() as s if s.isdigit():
            return "digits"
        case None | True | False:
            return "const"
        case complex(real=re, imag=0):
            return f"real {re}"
        case _:
            return "other"


x = Var("x")
e = BinOp("+", BinOp("*", x, x), BinOp("*", Num(3), x))
assert evaluate(e, {"x": 2}) == 10
assert evaluate(diff(e, "x"), {"x": 2}) == 7
assert simplify(diff(BinOp("*", Num(3), x), "x")) == Num(3)
assert simplify(Neg(Neg(x))) == x
try:
    evaluate(Var("q"), {})
except NameError as err:
    assert str(err) == "unbound q"
assert [describe(o) for o in ([], [1], [1, 2], (1, 2, 3, 4, 5), {"type": "circle", "r": 2, "c": 1}, {}, "12", None, 3 + 0j, 2.5)] == [
    "empty", "one 1", "pair 3", "long starting 1", "circle 2 ['c']", "empty dict", "digits", "const", "real 3.0", "other"]
print("match ok")
