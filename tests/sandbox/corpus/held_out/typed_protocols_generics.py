from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import (
    Annotated, Any, ClassVar, Generic, Literal, NamedTuple, NoReturn, Optional, Protocol, Self,
    TypeAlias, TypedDict, TypeGuard, TypeVar, Union, assert_never, cast, get_args, get_origin,
    get_type_hints, overload, runtime_checkable, TYPE_CHECKING, Final, final,
)

if TYPE_CHECKING:
    from decimal import Decimal

T = TypeVar("T")
K = TypeVar("K")
S = TypeVar("S", bound="SupportsArea")
Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
Mode = Literal["fast", "slow"]
LIMIT: Final = 10


@runtime_checkable
class SupportsArea(Protocol):
    def area(self) -> float: ...


class Named(TypedDict):
    title: str


class Movie(Named, total=False):
    rating: float
    year: int


class Square(NamedTuple):
    side: float

    def area(self) -> float:
        return self.side ** 2


@final
class Disc:
    def __init__(self, r: float) -> None:
        self.r = r

    def area(self) -> float:
        return 3 * self.r ** 2


class Stack(Generic[T]):
    kinds: ClassVar[list[str]] = []

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items: list[T] = list(items)

    def push(self, item: T) -> Self:
        self._items.append(item)
        return self

    def pop(self) -> T:
        return self._items.pop()

    @overload
    def peek(self) -> T: ...
    @overload
    def peek(self, default: K) -> T | K: ...
    def peek(self, default: Any = None) -> Any:
        return self._items[-1] if self._items else default

    def __iter__(self) -> Iterator[T]:
        return reversed(self._items)


def largest(shapes: Sequence[S]) -> S:
    return max(shapes, key=lambda s: s.area())


def is_str_list(xs: list[object]) -> TypeGuard[list[str]]:
    return all(isinstance(x, str) for x in xs)


def speed(mode: Mode) -> int:
    if mode == "fast":
        return 100
    elif mode == "slow":
        return 1
    else:
        assert_never(mode)


def fail(message: str) -> NoReturn:
    raise RuntimeError(message)


def depth(value: Json) -> int:
    match value:
        case dict():
            return 1 + max(map(depth, value.values()), default=0)
        case [*items]:
            return 1 + max(map(depth, items), default=0)
        case str() | int() | float() | bool() | None:
            return 0
        case _:
            fail("not JSON")


def validate(data: Mapping[str, Any], schema: type) -> list[str]:
    problems = []
    for name, kind in get_type_hints(schema).items():
        if name not in data:
            if name in schema.__required_keys__:
                problems.append(f"{name} is missing")
        elif not isinstance(data[name], kind):
            problems.append(f"{name} is not {kind.__name__}")
    return problems


Age = Annotated[int, "years", range(0, 150)]


def birthday(age: Age, by: Optional[int] = 1) -> Age:
    return age + (by or 0)


assert isinstance(Square(2), SupportsArea) and not isinstance(3, SupportsArea)
assert largest([Square(3), Disc(1)]) == Square(3)
assert list(Stack[int]([1]).push(2).push(3)) == [3, 2, 1]
assert Stack[str]().peek("empty") == "empty"
assert validate(Movie(title="Up", year=2009), Movie) == []
assert sorted(validate({"year": "1999"}, Movie)) == ["title is missing", "year is not int"]
hints = get_type_hints(birthday, include_extras=True)
print(hints["return"].__metadata__, get_type_hints(birthday)["by"], birthday(4))
assert get_origin(dict[str, int]) is dict and get_args(Union[int, str]) == (int, str)
assert speed("fast") == 100
try:
    speed(cast(Mode, "medium"))
except AssertionError as e:
    print(e)
assert depth({"a": [1, {"b": None}]}) == 3
assert is_str_list(["a"]) and not is_str_list([1])
assert get_args(Mode) == ("fast", "slow") and birthday.__annotations__["age"] == "Age"
fn: Callable[[int], int] = lambda n: n + LIMIT
print(fn(1), Stack[int], list[int] | None, repr(T))
