"""Protocols, TypedDict, NamedTuple, Literal, overload, NewType, Annotated, Final."""
from dataclasses import dataclass
from typing import (TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, NamedTuple, NewType,
                    NoReturn, NotRequired, Optional, Protocol, Required, TypeAlias, TypedDict, TypeGuard,
                    assert_never, cast, final, get_args, get_type_hints, overload, runtime_checkable)

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LEGS: Final = 8
UserId = NewType('UserId', int)
Json: TypeAlias = 'dict[str, Json] | list[Json] | str | int | float | bool | None'
Mode = Literal['r', 'w', 'a']


@runtime_checkable
class Drawable(Protocol):
    name: str

    def draw(self) -> str: ...


@runtime_checkable
class SupportsClose(Protocol):
    def close(self) -> None: ...


class Movie(TypedDict, total=False):
    title: Required[str]
    year: int


class Review(TypedDict):
    movie: Movie
    stars: Literal[1, 2, 3, 4, 5]
    text: NotRequired[str]


class Employee(NamedTuple):
    """A person at work."""
    name: str
    id: UserId = UserId(3)

    @property
    def badge(self) -> str:
        return '%s#%03d' % (self.name, self.id)


@dataclass
class Dot:
    name: str = 'dot'
    count: ClassVar[int] = 0

    def draw(self):
        Dot.count += 1
        return '.'


class Line:
    def __init__(self, n):
        self.n, self.name = n, 'line'

    def draw(self):
        return '-' * self.n


class Range:
    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi

    def __repr__(self):
        return f'Range({self.lo}, {self.hi})'


@dataclass
class Config:
    port: Annotated[int, Range(1, 65535)]
    name: Annotated[str, Range(1, 10), 'len'] = 'x'
    note: Optional[str] = None


def validate(obj: Any) -> list[str]:
    errors = []
    for name, hint in get_type_hints(type(obj), include_extras=True).items():
        value = getattr(obj, name)
        base, *extras = get_args(hint) or (hint,)
        for extra in getattr(hint, '__metadata__', ()):
            if isinstance(extra, Range):
                size = value if isinstance(value, int) else len(value)
                if not extra.lo <= size <= extra.hi:
                    errors.append(f'{name}={value!r} not in {extra}')
    return errors


@overload
def at(xs: 'Sequence[int]', i: int) -> int: ...
@overload
def at(xs: 'Sequence[int]', i: slice) -> 'Sequence[int]': ...
def at(xs, i):
    return xs[i]


def is_str_list(val: list[object]) -> TypeGuard[list[str]]:
    return all(isinstance(x, str) for x in val)


def open_mode(mode: Mode) -> str:
    if mode not in get_args(Mode):
        fail(f'bad mode {mode}')
    if mode == 'r':
        return 'reading'
    elif mode == 'w':
        return 'writing'
    elif mode == 'a':
        return 'appending'
    else:
        assert_never(mode)


def fail(msg: str) -> NoReturn:
    raise ValueError(msg)


@final
class Leaf:
    legs: ClassVar[int] = MAX_LEGS - 8


def depth(j: Json) -> int:
    match j:
        case dict():
            return 1 + max(map(depth, j.values()), default=0)
        case [*items]:
            return 1 + max(map(depth, items), default=0)
        case _:
            return 0


shapes = [Dot(), Line(3), object()]
assert [isinstance(s, Drawable) for s in shapes] == [True, True, False]
assert ''.join(s.draw() for s in shapes if isinstance(s, Drawable)) == '.---'
assert Dot.count == 1
assert isinstance((i for i in ()), SupportsClose) and not isinstance([], SupportsClose)

review: Review = {'movie': {'title': 'Alien', 'year': 1979}, 'stars': 5}
assert review['movie']['title'] == Movie(title='Alien')['title']
assert Movie.__required_keys__ == {'title'} and Movie.__optional_keys__ == {'year'}
assert Review.__required_keys__ == {'movie', 'stars'}
assert Review.__total__ is True and type(review) is dict

e = Employee('Guido')
assert e.badge == 'Guido#003' and e == ('Guido', 3)
assert Employee._field_defaults == {'id': 3} and Employee.__annotations__['name'] is str
assert UserId(7) + 1 == 8 and UserId.__name__ == 'UserId'

assert validate(Config(80)) == []
assert validate(Config(0, name='')) == ['port=0 not in Range(1, 65535)', "name='' not in Range(1, 10)"]
assert get_type_hints(Config)['port'] is int

assert at([1, 2, 3], 1) == 2 and at([1, 2, 3], slice(1, None)) == [2, 3]
assert is_str_list(['a']) and not is_str_list(['a', 1])
assert open_mode('w') == 'writing'
try:
    open_mode('z')
except ValueError as exc:
    assert exc.args == ('bad mode z',)
else:
    raise AssertionError
assert cast(str, 3) == 3 and Leaf.legs == 0
assert depth({'a': [1, {'b': []}]}) == 4
assert depth('x') == 0
