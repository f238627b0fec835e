"""Result and Option types, lazy sequences, pipes with |, and currying."""
from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import Any, Callable, Generic, Iterable, Iterator, NoReturn, TypeVar

T = TypeVar("T")
U = TypeVar("U")
E = TypeVar("E", bound=Exception)

@dataclass(frozen=True, slots=True)
class Ok(Generic[T]):
    value: T

    def map(self, f: Callable[[T], U]) -> Ok[U]:
        return Ok(f(self.value))

    def then(self, f: Callable[[T], Result]) -> Result:
        return f(self.value)

    def unwrap(self) -> T:
        return self.value

    def or_else(self, default: Any) -> T:
        return self.value

    def __bool__(self) -> bool:
        return True

@dataclass(frozen=True, slots=True)
class Err(Generic[E]):
    error: E

    def map(self, f: Callable) -> Err[E]:
        return self

    then = map

    def unwrap(self) -> NoReturn:
        raise self.error

    def or_else(self, default: T) -> T:
        return default

    def __bool__(self) -> bool:
        return False

Result = Ok[T] | Err[E]

def attempt(*errors: type[Exception]):
    def decorate(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            try:
                return Ok(func(*args, **kwargs))
            except errors or Exception as exc:
                return Err(exc)
        return wrapper
    return decorate

def collect(results: Iterable[Result]) -> Result:
    values = []
    for r in results:
        match r:
            case Ok(v):
                values.append(v)
            case Err():
                return r
    return Ok(values)

class Maybe:
    """Attributes, items and calls on the value, for as long as there is one."""

    def __init__(self, value=None):
        self._value = value

    def __getattr__(self, name):
        return Maybe(getattr(self._value, name, None))

    def __getitem__(self, key):
        try:
            return Maybe(self._value[key])
        except (LookupError, TypeError):
            return Maybe()

    def __call__(self, *args):
        return Maybe(None if self._value is None else self._value(*args))

    def __bool__(self):
        return self._value is not None

    def __repr__(self):
        return f"Some({self._value!r})" if self else "Nothing"

    def get(self, default=None):
        return self._value if self else default

class Seq(Generic[T]):
    """A lazy sequence that remembers what it has computed."""

    def __init__(self, source: Iterable[T] | Callable[[], Iterable[T]]):
        self._source = iter(source() if callable(source) else source)
        self._seen: list[T] = []

    def __iter__(self) -> Iterator[T]:
        for i in itertools.count():
            try:
                yield self[i]
            except IndexError:
                return

    def __getitem__(self, i):
        if isinstance(i, slice):
            return Seq(itertools.islice(self, i.start, i.stop, i.step))
        self._seen += itertools.islice(self._source, max(0, i + 1 - len(self._seen)))
        return self._seen[i]

    def __or__(self, stage):
        return stage(self)

    def __add__(self, other):
        return Seq(itertools.chain(self, other))

    def __repr__(self):
        return f"Seq({', '.join(map(repr, self._seen))}, ...)"

class Stage:
    def __init__(self, func):
        self.func = func

    def __call__(self, xs):
        return self.func(xs)

    def __ror__(self, xs):
        return self(xs)

    def __rshift__(self, other):
        return Stage(lambda xs: other(self(xs)))

def curry(func):
    arity = func.__code__.co_argcount

    @functools.wraps(func)
    def curried(*args):
        if len(args) >= arity:
            return func(*args)
        return lambda *more: curried(*args, *more)
    return curried

where = lambda p: Stage(lambda xs: Seq(filter(p, xs)))
select = lambda f: Stage(lambda xs: Seq(map(f, xs)))
take = lambda n: Stage(lambda xs: list(itertools.islice(xs, n)))
fold = curry(lambda f, start, xs: functools.reduce(f, xs, start))

@attempt(ValueError, ZeroDivisionError)
def parse(text):
    return 100 / int(text)

@curry
def volume(a, b, c):
    return a * b * c

def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b

assert parse("4") == Ok(25.0) and parse("4").map(int).then(lambda n: Ok(n + 1)).unwrap() == 26
match parse("0"):
    case Err(ZeroDivisionError() as e):
        assert str(e) == "division by zero"
    case other:
        raise AssertionError(other)
assert not parse("x") and parse("x").map(int).or_else(-1) == -1 and parse.__name__ == "parse"
try:
    parse("x").unwrap()
except ValueError as e:
    assert "'x'" in str(e)
assert collect(map(parse, "124")) == Ok([100.0, 50.0, 25.0]) and not collect(map(parse, "1x0"))
data = Maybe({"user": {"name": "ann", "tags": ["a"]}})
assert data["user"]["name"].upper().get() == "ANN" and repr(data["user"]["tags"][0]) == "Some('a')"
assert data["nobody"]["name"].upper().get("?") == "?" and not data["user"]["tags"][5] and repr(Maybe().x.y) == "Nothing"
fibs = Seq(fibonacci)
assert fibs[10] == 55 and repr(Seq("ab")) == "Seq(, ...)"
assert (fibs | where(lambda n: n % 2) | select(str) | take(4)) == ["1", "1", "3", "5"]
evens = where(lambda n: n % 2 == 0) >> select(lambda n: n * n) >> take(3)
assert (fibs | evens) == [0, 4, 64] == ([0, 1, 2, 3, 8] | evens)
assert list(fibs[2:6]) == [1, 2, 3, 5] and list(Seq("ab") + "c") == ["a", "b", "c"]
assert volume(2)(3)(4) == volume(2, 3)(4) == volume(2)(3, 4) == 24 and fold(max)(0)([3, 9, 2]) == 9
