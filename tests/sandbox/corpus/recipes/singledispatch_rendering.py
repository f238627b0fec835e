from __future__ import annotations

import decimal
import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from functools import singledispatch, singledispatchmethod
from numbers import Integral


@singledispatch
def render(obj, indent: int = 0) -> str:
    """Render any object as YAML-ish text."""
    if is_dataclass(obj):
        return render({f.name: getattr(obj, f.name) for f in fields(obj)}, indent)
    raise TypeError(f"cannot render {type(obj).__name__}")


@render.register
def _(obj: str, indent=0):
    return obj if obj.isidentifier() else repr(obj)


@render.register(int)
@render.register(float)
def _number(obj, indent=0):
    return f"{obj:,}"


@render.register
def _(obj: bool, indent=0):
    return "yes" if obj else "no"


@render.register
def _(obj: None, indent=0):
    return "~"


@render.register
def _(obj: list | tuple, indent=0):
    if not obj:
        return "[]"
    pad = " " * indent
    return "".join(f"\n{pad}- {render(item, indent + 2)}" for item in obj)


@render.register(Mapping)
def _render_mapping(obj, indent=0):
    pad = "  " * bool(indent) + " " * max(indent - 2, 0)
    return "".join(f"\n{pad}{key}: {render(value, indent + 2)}" for key, value in obj.items())


render.register(date, lambda obj, indent=0: obj.isoformat())


@render.register
def _(obj: enum.Enum, indent=0):
    return obj.name.lower()


class Mood(enum.Enum):
    GOOD = 1
    BAD = 2


@dataclass
class Pet:
    name: str
    born: date
    mood: Mood
    toys: list[str]


class Negator:
    @singledispatchmethod
    def neg(self, arg):
        raise NotImplementedError(f"Cannot negate a {type(arg).__name__}")

    @neg.register
    def _(self, arg: int):
        return -arg

    @neg.register
    def _(self, arg: bool):
        return not arg

    @neg.register(str)
    def _neg_str(self, arg):
        return arg[::-1]

    @singledispatchmethod
    @classmethod
    def build(cls, arg):
        return cls()

    @build.register
    @classmethod
    def _(cls, arg: int):
        return [cls() for _ in range(arg)]


@singledispatch
def size(x):
    return 1


@size.register(Sequence)
@size.register(Mapping)
def _(x):
    return len(x)


@size.register
def _(x: Integral):
    return x.bit_length()


def main():
    assert render("plain") == "plain"
    assert render("two words") == "'two words'"
    assert render(1234567) == "1,234,567"
    assert render(True) == "yes"
    assert render(None) == "~"
    assert render([]) == "[]"
    pet = Pet("Rex", date(2020, 2, 29), Mood.GOOD, ["ball", "red bone"])
    text = render(pet)
    print(text)
    assert text == "\nname: Rex\nborn: 2020-02-29\nmood: good\ntoys: \n  - ball\n  - 'red bone'"
    try:
        render(decimal.Decimal(1))
    except TypeError as exc:
        assert "Decimal" in str(exc)
    else:
        raise AssertionError

    n = Negator()
    assert n.neg(5) == -5 and n.neg(True) is False and n.neg("abc") == "cba"
    try:
        n.neg(2.5)
    except NotImplementedError as exc:
        assert exc.args[0] == "Cannot negate a float"
    assert isinstance(Negator.build("x"), Negator)
    assert len(Negator.build(3)) == 3

    assert [size(v) for v in ("abc", {1: 2}, [0] * 9, 255, 2.5)] == [3, 1, 9, 8, 1]
    assert render.dispatch(dict) is _render_mapping
    assert int in render.registry and render.dispatch(float) is render.registry[float]


main()
