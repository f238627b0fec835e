from typing import Any, get_type_hints, get_args, get_origin, Union, Literal, Annotated, NamedTuple, TypedDict, NewType, Final, Optional, cast, TYPE_CHECKING
from types import SimpleNamespace, MappingProxyType

if TYPE_CHECKING:
    from collections.abc import Sequence


class TypedList(list):
    _type: type = object

    def __class_getitem__(cls, item):
        return type(f"TypedList[{item.__name__}]", (cls,), {"_type": item})

    def append(self, value):
        if not isinstance(value, self._type):
            raise TypeError(f"{value!r} is not {self._type.__name__}")
        super().append(value)


IntList = TypedList[int]
il = IntList()
il.append(3)
try:
    il.append("x")
except TypeError as e:
    assert str(e) == "'x' is not int"
assert IntList.__name__ == "TypedList[int]"

UserId = NewType("UserId", int)
MAX: Final = 10
Mode = Literal["r", "w"]


class Point(NamedTuple):
    x: int
    y: int = 0

    def dist(self) -> float:
        return (self.x**2 + self.y**2) ** 0.5


class Movie(TypedDict, total=False):
    title: str
    year: int


class Conf:
    host: str
    port: Annotated[int, "1..65535"] = 80
    opt: Optional[float] = None


hints = get_type_hints(Conf)
assert hints["host"] is str and hints["port"] is int
assert get_type_hints(Conf, include_extras=True)["port"].__metadata__ == ("1..65535",)
assert get_origin(dict[str, int]) is dict and get_args(dict[str, int]) == (str, int)
assert get_args(Mode) == ("r", "w")
assert get_origin(Union[int, str]) is Union
assert get_args(Optional[int]) == (int, type(None))
p = Point(3, 4)
assert p.dist() == 5 and p._replace(x=0) == (0, 4) and p._asdict() == {"x": 3, "y": 4}
assert Point._fields == ("x", "y") and Point._make([1, 2]).y == 2
assert UserId(5) == 5 and cast(str, 3) == 3
m: Movie = {"title": "Alien"}
assert m["title"] == "Alien" and Movie.__annotations__["year"] is int
ns = SimpleNamespace(a=1, b="z")
ns.c = [ns.a]
assert ns == SimpleNamespace(a=1, b="z", c=[1]) and vars(ns)["b"] == "z"
ro = MappingProxyType({"k": 1})
try:
    ro["k"] = 2
except TypeError:
    pass
else:
    raise AssertionError
assert isinstance(3, int | str) and Conf.__annotations__.keys() == {"host", "port", "opt"}


def typecheck(fn):
    hints = get_type_hints(fn)

    def inner(*args):
        for (name, t), a in zip(hints.items(), args):
            if not isinstance(a, t):
                raise TypeError(f"{name}: expected {t.__name__}")
        return fn(*args)

    return inner


@typecheck
def rep(s: str, n: int) -> Any:
    return s * n


assert rep("a", 3) == "aaa"
try:
    rep(3, 3)
except TypeError as e:
    assert str(e) == "s: expected str"
print(ro)
