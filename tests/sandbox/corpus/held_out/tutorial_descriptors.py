from typing import Any, Callable, Generic, TypeVar, overload
from weakref import WeakKeyDictionary


class Verbose:
    def __get__(self, obj, type=None) -> object:
        print("reading the attribute")
        return 42

    def __set__(self, obj, value) -> None:
        raise AttributeError("the attribute is read only")


class Foo:
    attr = Verbose()


class OneDigit:
    def __set_name__(self, owner, name):
        self.name = name
        self.owner = owner.__name__

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        return obj.__dict__.get(self.name) or 0

    def __set__(self, obj, value):
        if value > 9 or value < 0 or int(value) != value:
            raise ValueError(f"{self.owner}.{self.name}: {value!r} is not one digit")
        obj.__dict__[self.name] = value


class Values:
    first = OneDigit()
    second = OneDigit()


class lazy:
    """A non-data descriptor: the instance's own value hides it after the first read."""

    def __init__(self, function):
        self.function = function
        self.name = function.__name__

    def __get__(self, obj, type=None):
        obj.__dict__[self.name] = self.function(obj)
        return obj.__dict__[self.name]


class DeepThought:
    calls = 0

    @lazy
    def meaning_of_life(self):
        DeepThought.calls += 1
        return 42


T = TypeVar("T")


class Typed(Generic[T]):
    def __init__(self, kind: type[T], check: Callable[[T], bool] = lambda v: True) -> None:
        self.kind, self.check = kind, check
        self.data: WeakKeyDictionary[Any, T] = WeakKeyDictionary()

    def __set_name__(self, owner: type, name: str) -> None:
        self.public = name

    @overload
    def __get__(self, obj: None, owner: type) -> "Typed[T]": ...
    @overload
    def __get__(self, obj: object, owner: type) -> T: ...

    def __get__(self, obj, owner):
        if obj is None:
            return self
        try:
            return self.data[obj]
        except KeyError:
            raise AttributeError(f"{owner.__name__!r} has no {self.public!r} yet") from None

    def __set__(self, obj: Any, value: T) -> None:
        if not isinstance(value, self.kind):
            raise TypeError(f"{self.public} must be {self.kind.__name__}, not {type(value).__name__}")
        if not self.check(value):
            raise ValueError(f"{self.public} cannot be {value!r}")
        self.data[obj] = value

    def __delete__(self, obj: Any) -> None:
        del self.data[obj]


class Person:
    name = Typed(str, str.istitle)
    age = Typed(int, lambda v: v >= 0)


x = Foo()
assert x.attr == 42
for attempt in (lambda: setattr(x, "attr", 3), lambda: setattr(Person(), "age", "old"),
                lambda: setattr(Person(), "age", -3), lambda: Person().name,
                lambda: setattr(Values(), "first", 42)):
    try:
        attempt()
    except (AttributeError, TypeError, ValueError) as e:
        print(type(e).__name__, "-", e)
    else:
        raise SystemExit("should have failed")

v = Values()
v.first = 3
assert (v.first, v.second, Values().first) == (3, 0, 0)
d = DeepThought()
assert d.meaning_of_life == d.meaning_of_life == 42 and DeepThought.calls == 1
p, q = Person(), Person()
p.name, q.name, p.age = "Ann", "Bob", 40
assert (p.name, q.name) == ("Ann", "Bob")
del p.age
assert not hasattr(p, "age") and isinstance(Person.age, Typed)
