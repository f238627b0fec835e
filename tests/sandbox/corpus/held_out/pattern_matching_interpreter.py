"""Structural pattern matching: a simplifier, a differentiator, an evaluator of ASTs."""
from __future__ import annotations
from dataclasses import dataclass
import ast
import operator


@dataclass(frozen=True)
class Num:
    value: float


@dataclass(frozen=True)
class Var:
    name: str


@dataclass(frozen=True)
class BinOp:
    left: Expr
    op: str
    right: Expr


Expr = Num | Var | BinOp


def simplify(e: Expr) -> Expr:
    match e:
        case BinOp(l, op, r):
            e = BinOp(simplify(l), op, simplify(r))
    match e:
        case BinOp(Num(0), "+", x) | BinOp(x, "+", Num(0)):
            return x
        case BinOp(Num(0), "*", _) | BinOp(_, "*", Num(0)):
            return Num(0)
        case BinOp(Num(1), "*", x) | BinOp(x, "*", Num(1)):
            return x
        case BinOp(x, "-", y) if x == y:
            return Num(0)
        case BinOp(Num(a), ("+" | "*") as op, Num(b)):
            return Num(a + b if op == "+" else a * b)
        case _:
            return e


def diff(e: Expr, x: str) -> Expr:
    match e:
        case Num():
            return Num(0)
        case Var(name=n):
            return Num(1 if n == x else 0)
        case BinOp(l, "+" | "-" as op, r):
            return BinOp(diff(l, x), op, diff(r, x))
        case BinOp(l, "*", r):
            return BinOp(BinOp(diff(l, x), "*", r), "+", BinOp(l, "*", diff(r, x)))
    raise NotImplementedError(e)


def show(e: Expr) -> str:
    match e:
        case Num(value=int() | float() as v):
            return f"{v:g}"
        case Var(n):
            return n
        case BinOp(l, op, r):
            return f"({show(l)} {op} {show(r)})"


OPS = {ast.Add: ("+", operator.add), ast.Sub: ("-", operator.sub), ast.Mult: ("*", operator.mul)}


def parse(text: str) -> Expr:
    def convert(node):
        match node:
            case ast.Expression(body=b):
                return convert(b)
            case ast.Constant(value=int(v)):
                return Num(v)
            case ast.Name(id=name):
                return Var(name)
            case ast.BinOp(left=l, op=op, right=r) if type(op) in OPS:
                return BinOp(convert(l), OPS[type(op)][0], convert(r))
            case _:
                raise SyntaxError(f"unsupported: {ast.dump(node)}")
    return convert(ast.parse(text, mode="eval"))


def command(line):
    match line.split():
        case []:
            return "empty"
        case ["go", ("north" | "south") as direction]:
            return f"going {direction}"
        case ["get", *items] if items:
            return f"got {' and '.join(items)}"
        case ["quit" | "exit"]:
            return "bye"
        case [verb, *_]:
            return f"cannot {verb}"


def describe(x):
    match x:
        case None: return "nothing"
        case True | False: return "bool"
        case int(n) if n < 0: return "negative"
        case 0: return "zero"
        case {"type": "user", "name": str(name), **rest}: return f"user {name} +{len(rest)}"
        case [a, [b, *_], *_]: return f"nested {a}{b}"
        case (x, y) if x == y: return "twins"
        case str() | bytes(): return "text"
        case _: return type(x).__name__


e = parse("x * x + 3 * x - 0 * y + 7")
assert show(simplify(diff(e, "x"))) == "(((x + x) + 3) - 0)"
print(show(e), "->", show(simplify(diff(e, "x"))))
try:
    parse("f(1)")
except SyntaxError as err:
    print(err)
for line in ("", "go north", "go west", "get lamp key", "exit"):
    print(repr(line), command(line))
got = [describe(x) for x in (None, True, -3, 0, {"type": "user", "name": "Ann", "x": 1}, [1, [2]], (4, 4), b"", 2.5, [1])]
assert got == ["nothing", "bool", "negative", "zero", "user Ann +1", "nested 12", "twins", "text", "float", "list"], got
