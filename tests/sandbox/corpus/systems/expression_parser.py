"""A recursive descent calculator with variables, functions and a syntax tree."""
from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass


class ParseError(SyntaxError):
    pass


@dataclass(frozen=True)
class Num:
    value: float


@dataclass(frozen=True)
class Var:
    name: str


@dataclass(frozen=True)
class Unary:
    op: str
    operand: Expr


@dataclass(frozen=True)
class Binary:
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Call:
    func: str
    args: tuple[Expr, ...]


Expr = Num | Var | Unary | Binary | Call
OPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow}
FUNCS = {name: getattr(math, name) for name in ("sqrt", "sin", "cos", "log", "floor")} | {"max": max, "min": min}


class Parser:
    """expr   := term (("+" | "-") term)*
    term   := factor (("*" | "/") factor)*
    factor := "-" factor | power
    power  := atom ("^" factor)?
    atom   := NUMBER | NAME | NAME "(" args ")" | "(" expr ")"
    """

    TOKEN = re.compile(r"\s*(?:(?P<num>\d+\.?\d*|\.\d+)|(?P<name>[A-Za-z_]\w*)|(?P<op>.))", re.DOTALL)

    def __init__(self, text: str):
        self.tokens = [(m.lastgroup, m[m.lastgroup]) for m in self.TOKEN.finditer(text.rstrip())]
        self.tokens.append(("end", ""))
        self.pos = 0

    @property
    def current(self):
        return self.tokens[self.pos]

    def accept(self, *values):
        kind, value = self.current
        if kind == "op" and value in values:
            self.pos += 1
            return value
        return None

    def expect(self, value):
        if not self.accept(value):
            raise ParseError(f"expected {value!r}, found {self.current[1] or 'end'!r}")

    def parse(self) -> Expr:
        tree = self.expr()
        if self.current[0] != "end":
            raise ParseError(f"unexpected {self.current[1]!r}")
        return tree

    def _chain(self, sub, *ops):
        left = sub()
        while op := self.accept(*ops):
            left = Binary(op, left, sub())
        return left

    def expr(self):
        return self._chain(self.term, "+", "-")

    def term(self):
        return self._chain(self.factor, "*", "/")

    def factor(self):
        if self.accept("-"):
            return Unary("-", self.factor())
        return self.power()

    def power(self):
        base = self.atom()
        if self.accept("^"):
            return Binary("^", base, self.factor())
        return base

    def atom(self):
        kind, value = self.current
        match kind:
            case "num":
                self.pos += 1
                return Num(float(value))
            case "name":
                self.pos += 1
                if not self.accept("("):
                    return Var(value)
                args = []
                while not self.accept(")"):
                    if args:
                        self.expect(",")
                    args.append(self.expr())
                return Call(value, tuple(args))
        self.expect("(")
        inner = self.expr()
        self.expect(")")
        return inner


def evaluate(e: Expr, env: dict[str, float]) -> float:
    match e:
        case Num(v):
            return v
        case Var(name):
            try:
                return env[name]
            except KeyError:
                raise NameError(f"undefined: {name}") from None
        case Unary("-", x):
            return -evaluate(x, env)
        case Binary(op, a, b):
            return OPS[op](evaluate(a, env), evaluate(b, env))
        case Call(f, args):
            return FUNCS[f](*(evaluate(a, env) for a in args))


def simplify(e: Expr) -> Expr:
    match e:
        case Binary(op, a, b):
            match op, simplify(a), simplify(b):
                case _, Num(x), Num(y):
                    return Num(OPS[op](x, y))
                case ("+", Num(0.0), x) | ("+" | "-", x, Num(0.0)) | ("*", Num(1.0), x) | ("*" | "/", x, Num(1.0)):
                    return x
                case ("*", Num(0.0), _) | ("*", _, Num(0.0)):
                    return Num(0.0)
                case _, x, y:
                    return Binary(op, x, y)
        case Unary(op, x):
            x = simplify(x)
            return Num(-x.value) if isinstance(x, Num) else Unary(op, x)
    return e


def show(e: Expr) -> str:
    match e:
        case Num(v):
            return f"{v:g}"
        case Var(n):
            return n
        case Unary(op, x):
            return f"({op}{show(x)})"
        case Binary(op, a, b):
            return f"({show(a)} {op} {show(b)})"
        case Call(f, args):
            return f"{f}({', '.join(map(show, args))})"


def calc(text, **env):
    return evaluate(Parser(text).parse(), {"pi": math.pi, **env})


if __name__ == "__main__":
    for text, value in {"1 + 2 * 3": 7, "(1+2)*3": 9, "2^3^2": 512, "-2^2": -4, "10/4-.5": 2, "max(1, 2*x, 3)": 8,
                        "sqrt(x*x)": 4, "--3": 3, "2 * -3": -6, "cos(pi)": -1}.items():
        assert calc(text, x=4) == value, text
    for bad in ("1 +", "(1", "1 2", "*", "f(1 2)", "1 $ 2"):
        try:
            calc(bad)
        except ParseError as e:
            print(f"{bad!r:>10}: {e.msg}")
        else:
            raise AssertionError(bad)
    try:
        calc("y + 1")
    except NameError as e:
        assert str(e) == "undefined: y" and e.__cause__ is None
    assert show(Parser("1+2*x^-y").parse()) == "(1 + (2 * (x ^ (-y))))"
    assert show(simplify(Parser("0 + x*1 + (2+3)*y - 0*z").parse())) == "(x + (5 * y))"
    assert simplify(Parser("x*(3-3)").parse()) == Num(0.0)
