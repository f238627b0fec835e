from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, Union, get_args, get_origin, get_type_hints
import functools

T = TypeVar("T")
K = TypeVar("K", bound="Comparable")
V = TypeVar("V")
Num = TypeVar("Num", int, float)
P = ParamSpec("P")
R = TypeVar("R")


class Comparable:
    def __lt__(self, other: Any) -> bool: ...


class Stack(Generic[T]):
    """A LIFO stack.

    >>> Stack[int]().push(1).push(2).pop()
    2
    """

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items: list[T] = list(items)

    def push(self, item: T) -> Self:
        self._items.append(item)
        return self

    def pop(self) -> T:
        try:
            return self._items.pop()
        except IndexError:
            raise LookupError("pop from an empty stack") from None

    def map(self, f: Callable[[T], V]) -> Stack[V]:
        return Stack(map(f, self._items))

    def __iter__(self) -> Iterator[T]:
        yield from reversed(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._items!r})"


class Pair(Generic[T, V]):
    __slots__ = ("first", "second")

    def __init__(self, first: T, second: V) -> None:
        self.first = first
        self.second = second

    def swap(self) -> Pair[V, T]:
        return Pair(self.second, self.first)

    def __iter__(self):
        yield self.first
        yield self.second

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pair) and tuple(self) == tuple(other)


class SortedMap(Generic[K, V]):
    def __init__(self) -> None:
        self.__keys: list[K] = []
        self.__values: dict[K, V] = {}

    def __setitem__(self, key: K, value: V) -> None:
        if key not in self.__values:
            self.__keys.append(key)
            self.__keys.sort()
        self.__values[key] = value

    def __getitem__(self, key: K) -> V:
        return self.__values[key]

    def items(self) -> Iterator[tuple[K, V]]:
        return ((k, self.__values[k]) for k in self.__keys)


class IntStack(Stack[int]):
    def total(self) -> int:
        return sum(self)


def logged(log: list[str]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    def deco(f: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(f)
        def inner(*args: P.args, **kwargs: P.kwargs) -> R:
            log.append(f"{f.__name__}{args}")
            return f(*args, **kwargs)
        return inner
    return deco


def with_prefix(f: Callable[Concatenate[str, P], R]) -> Callable[P, R]:
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        return f("> ", *args, **kwargs)
    return inner


log: list[str] = []


@logged(log)
def double(x: Num) -> Num:
    return x * 2


@with_prefix
def say(prefix: str, what: str, *, loud: bool = False) -> str:
    return prefix + (what.upper() if loud else what)


def first(xs: Iterable[T], default: T | None = None) -> T | None:
    return next(iter(xs), default)


def test_stack() -> None:
    s = Stack[str](["a", "b"])
    assert s.push("c").push("d").pop() == "d"
    assert list(s) == ["c", "b", "a"] and len(s) == 3
    assert repr(s.map(ord)) == "Stack([97, 98, 99])"
    try:
        Stack[int]().pop()
    except LookupError as e:
        assert str(e) == "pop from an empty stack"
    assert IntStack([1, 2]).push(3).total() == 6
    assert isinstance(IntStack().push(1), IntStack)
    assert IntStack.__orig_bases__[0] == Stack[int]


def test_pair_and_map() -> None:
    p = Pair(1, "x")
    assert p.swap() == Pair("x", 1) and p != (1, "x")
    a, b = p
    assert (a, b) == (1, "x")
    m: SortedMap[str, int] = SortedMap()
    for i, ch in enumerate("delta"):
        m[ch] = i
    assert list(m.items()) == [("a", 4), ("d", 0), ("e", 1), ("l", 2), ("t", 3)]
    assert m["e"] == 1


def test_introspection() -> None:
    alias = Pair[int, str]
    assert get_origin(alias) is Pair and get_args(alias) == (int, str)
    assert get_args(Union[int, None]) == (int, type(None)) == get_args(int | None)
    assert get_args(dict[str, list[int]]) == (str, list[int])
    assert get_type_hints(first)["return"] == T | None
    assert get_type_hints(double)["x"] is Num
    assert T.__name__ == "T" and Num.__constraints__ == (int, float)
    assert str(list[int]) == "list[int]"
    assert double(4) == 8 and double(1.5) == 3.0
    assert log == ["double(4,)", "double(1.5,)"]
    assert say("hi", loud=True) == "> HI"
    assert first([], 3) == 3 and first("xyz") == "x"


if __name__ == "__main__":
    test_stack()
    test_pair_and_map()
    test_introspection()
