"""Parser combinators in the functional style, and JSON-ish + arithmetic grammars."""
from __future__ import annotations
import re
from dataclasses import dataclass
from functools import reduce
from operator import add, sub, mul, truediv
from typing import Any, Callable, Generic, TypeVar

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class Ok(Generic[T]):
    value: T
    pos: int


@dataclass(frozen=True)
class Err:
    expected: str
    pos: int


class Parser(Generic[T]):
    def __init__(self, run: Callable[[str, int], Ok[T] | Err]):
        self.run = run

    def parse(self, text: str) -> T:
        match self.run(text, 0):
            case Ok(value, pos) if pos == len(text):
                return value
            case Ok(_, pos):
                raise SyntaxError(f"unexpected {text[pos]!r} at {pos}")
            case Err(expected, pos):
                raise SyntaxError(f"expected {expected} at {pos}")

    def map(self, f: Callable[[T], U]) -> Parser[U]:
        return self.bind(lambda v: pure(f(v)))

    def bind(self, f: Callable[[T], Parser[U]]) -> Parser[U]:
        def run(s, i):
            r = self.run(s, i)
            return r if isinstance(r, Err) else f(r.value).run(s, r.pos)
        return Parser(run)

    def __or__(self, other: Parser) -> Parser:
        def run(s, i):
            a = self.run(s, i)
            if isinstance(a, Ok):
                return a
            b = other.run(s, i)
            if isinstance(b, Err) and b.pos == a.pos:
                return Err(f"{a.expected} or {b.expected}", a.pos)
            return b if isinstance(b, Ok) else max(a, b, key=lambda e: e.pos)
        return Parser(run)

    def __rshift__(self, other): return self.bind(lambda _: other)

    def __lshift__(self, other): return self.bind(lambda v: other.map(lambda _: v))

    def __add__(self, other): return self.bind(lambda a: other.map(lambda b: (a, b)))

    def many(self) -> Parser[list[T]]:
        def run(s, i):
            out = []
            while isinstance(r := self.run(s, i), Ok):
                out.append(r.value)
                i = r.pos
            return Ok(out, i)
        return Parser(run)

    def sep_by(self, sep):
        return (self + (sep >> self).many()).map(lambda p: [p[0], *p[1]]) | pure([])


def pure(v: Any) -> Parser:
    return Parser(lambda s, i: Ok(v, i))


def regex(pattern: str, name: str) -> Parser[str]:
    rx = re.compile(pattern + r"(?:\s*)")

    def run(s, i):
        m = rx.match(s, i)
        return Ok(m.group().strip(), m.end()) if m else Err(name, i)
    return Parser(run)


def lit(text): return regex(re.escape(text), repr(text))


def lazy(thunk): return Parser(lambda s, i: thunk().run(s, i))


number = regex(r"-?\d+(\.\d+)?", "number").map(lambda t: float(t) if "." in t else int(t))
string = regex(r'"[^"]*"', "string").map(lambda t: t[1:-1])
value = lazy(lambda: obj | array | string | number | const)
const = reduce(Parser.__or__, [lit(k).map(lambda _, v=v: v) for k, v in
                               {"true": True, "false": False, "null": None}.items()])
array = lit("[") >> value.sep_by(lit(",")) << lit("]")
obj = lit("{") >> ((string << lit(":")) + value).sep_by(lit(",")).map(dict) << lit("}")

OPS = dict(zip("+-*/", (add, sub, mul, truediv)))


def chain(term, ops):
    fold = lambda p: reduce(lambda a, oc: OPS[oc[0]](a, oc[1]), p[1], p[0])
    return (term + (ops + term).many()).map(fold)


factor = number | lit("(") >> lazy(lambda: expr) << lit(")")
expr = chain(chain(factor, lit("*") | lit("/")), lit("+") | lit("-"))

assert value.parse('{"a": [1, 2.5, {"b": null}], "c": true, "d": []}') == {"a": [1, 2.5, {"b": None}], "c": True, "d": []}
assert expr.parse("2 * (3 + 4) - 10 / 4") == 11.5
assert expr.parse("10 - 3 - 2") == 5
for bad in ("[1, 2", "[1 2]", "{1: 2}", "tru"):
    try:
        value.parse(bad)
    except SyntaxError as e:
        print(f"{bad:8} {e}")
    else:
        raise AssertionError(bad)
