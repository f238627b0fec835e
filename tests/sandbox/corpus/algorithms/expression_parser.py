"""An expression calculator: tokens, a Pratt parser, a tree, an evaluator."""
from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass
from typing import Any, Callable


class CalcError(Exception):
    """Something is wrong with the expression."""

class ParseError(CalcError):
    def __init__(self, message: str, position: int) -> None:
        super().__init__(f"{message} at {position}")
        self.position = position

@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    position: int

@dataclass(frozen=True)
class Num:
    value: float

@dataclass(frozen=True)
class Name:
    id: str

@dataclass(frozen=True)
class Unary:
    op: str
    operand: Any

@dataclass(frozen=True)
class Binary:
    op: str
    left: Any
    right: Any

@dataclass(frozen=True)
class Call:
    function: str
    args: tuple[Any, ...] = ()

SCANNER = re.compile(r"(?P<num>\d+\.?\d*(?:e[+-]?\d+)?|\.\d+)|(?P<name>[A-Za-z_]\w*)|(?P<op>\*\*|//|[-+*/%^(),])|(?P<space>\s+)|(?P<bad>.)")
POWER = {"+": 10, "-": 10, "*": 20, "/": 20, "//": 20, "%": 20, "^": 40, "**": 40}
NAMES = dict(zip(POWER, "add sub mul truediv floordiv mod pow pow".split(), strict=True))
OPS: dict[str, Callable[[float, float], float]] = {op: getattr(operator, name) for op, name in NAMES.items()}

def scan(text: str) -> list[Token]:
    tokens = []
    for m in SCANNER.finditer(text):
        kind = m.lastgroup or "bad"
        if kind == "bad":
            raise ParseError(f"unexpected {m.group()!r}", m.start())
        elif kind != "space":
            tokens.append(Token(kind, m.group(), m.start()))
    return tokens + [Token("end", "", len(text))]

class Parser:
    def __init__(self, text: str):
        self.tokens = iter(scan(text))
        self.token = next(self.tokens)

    def advance(self) -> Token:
        old, self.token = self.token, next(self.tokens, self.token)
        return old

    def expect(self, text: str) -> None:
        if self.token.text != text:
            raise ParseError(f"expected {text!r}", self.token.position)
        self.advance()

    def parse(self):
        tree = self.expression(0)
        self.expect("")
        return tree

    def expression(self, least: int):
        left = self.prefix()
        while (power := POWER.get(self.token.text, -1)) > least:
            op = self.advance().text
            left = Binary(op, left, self.expression(power - (op in ("^", "**"))))
        return left

    def prefix(self):
        match self.advance():
            case Token("num", text):
                return Num(float(text))
            case Token("name", name) if self.token.text == "(":
                self.advance()
                args = [self.expression(0)]
                while self.token.text == ",":
                    self.advance()
                    args.append(self.expression(0))
                self.expect(")")
                return Call(name, tuple(args))
            case Token("name", name):
                return Name(name)
            case Token("op", "-" | "+" as op):
                return Unary(op, self.expression(30))
            case Token("op", "("):
                inner = self.expression(0)
                self.expect(")")
                return inner
            case Token(position=where):
                raise ParseError("expected a value", where)


def evaluate(tree, /, **names):
    match tree:
        case Num(value):
            return value
        case Name(id=name):
            try:
                return names[name] if name in names else {"pi": math.pi, "e": math.e}[name]
            except KeyError as e:
                raise CalcError(f"unknown name {name}") from e
        case Unary("-", x):
            return -evaluate(x, **names)
        case Unary(_, x):
            return evaluate(x, **names)
        case Binary(op, left, right):
            try:
                return OPS[op](evaluate(left, **names), evaluate(right, **names))
            except ZeroDivisionError as e:
                raise CalcError("division by zero") from e
        case Call(function="max" | "min" | "sqrt" as f, args=args):
            return {"max": max, "min": min, "sqrt": math.sqrt}[f](*(evaluate(a, **names) for a in args))
        case Call(name, args):
            raise CalcError(f"no function {name} of {len(args)}")


def calc(text, **names): return evaluate(Parser(text).parse(), **names)

for text, want in {"1+2*3": 7, "(1 + 2) * 3": 9, "2^3^2": 512, "-2^2": -4, "10-4-3": 3, "max(1, sqrt(16), 3)": 4,
                   "1.5e2 // 7 % 4": 1, "--3": 3, "2*-3": -6}.items():
    assert calc(text) == want, (text, calc(text))
assert calc("a*x ** 2 + b", a=3, x=2, b=1) == 13 and abs(calc("pi") - 3.14159) < 1e-5
for bad in ("1 +", "(1", "1 $ 2", "2 3", "1/0", "nope", "f(1, 2)", ""):
    try:
        calc(bad)
    except CalcError as e:
        print(f"{bad!r:10} {type(e).__name__}: {e}")
    else:
        raise AssertionError(bad)
