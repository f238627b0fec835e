"""Stand-ins for what makes classes: dataclasses, named tuples, metaclasses."""

from __future__ import annotations

import collections
import dataclasses
import enum
import inspect
import typing
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from runner.sandbox import names
from runner.sandbox.guards import Forbidden, checked, match_public_fields, user_types
from runner.sandbox.standins import checks, hints, running

# Their attributes `format` and `obj` lead further, and a pattern would read them unasked.
_LEADING_FURTHER = (str, collections.UserString, AttributeError)


def namedtuple(
    typename: str, field_names: Any, *, rename: bool = False, defaults: Any = None, **_module: Any
) -> Any:
    """collections.namedtuple; patterns read its fields by position, so their names matter."""
    fields = field_names.replace(",", " ").split() if isinstance(field_names, str) else field_names
    fields = [_tuple_field(name) for name in fields]
    name = checks.check_class_name(typename)
    make: Any = collections.namedtuple  # noqa: PYI024
    return checks.settle(
        make(name, fields, rename=bool(rename), defaults=defaults, module="typing")
    )


def _tuple_field(name: Any) -> str:
    if type(name) is not str or name in names.FORBIDDEN_ATTRIBUTES:
        raise Forbidden(f"`{name}` can't be a field's name here")
    return name


class NamedTupleSyntax:
    """typing.NamedTuple as a base class or a call, whose fields are checked either way."""

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        entries: Any = typing.NamedTuple.__mro_entries__  # type: ignore[attr-defined]
        return tuple(entries(tuple(typing.NamedTuple if base is self else base for base in bases)))

    def __call__(self, typename: str, fields: Any = None, /, **more: Any) -> Any:
        pairs = [(_tuple_field(name), kind) for name, kind in fields or more.items()]
        name = checks.check_class_name(typename)
        return checks.settle(typing.NamedTuple(name, pairs))

    def __repr__(self) -> str:
        return "<function NamedTuple>"


def dataclass(cls: Any = None, /, **options: Any) -> Any:
    def make(users: Any) -> Any:
        if users not in user_types:
            raise Forbidden("`dataclass` works on your own classes only")
        # Their names become a part of the text of its methods.
        for name, kind in inspect.get_annotations(users).items():
            _check_dataclass_field(name, users)
            if type(kind) is str:
                users.__annotations__[name] = _marker_of(kind, users) or kind
        return _adopt_dataclass(users, options)

    return make if cls is None else make(cls)


def _adopt_dataclass(users: Any, options: dict[str, Any]) -> Any:
    """A dataclass that hears of its `__match_args__` only when these have been looked at."""
    if options.get("slots") and type(users) in user_types:
        # It is made anew, by the metaclass, of what dataclasses have put there.
        raise Forbidden("a class with a metaclass of yours can't be a dataclass with slots here")
    matches = options.pop("match_args", True) and "__match_args__" not in users.__dict__
    made: Any = dataclasses.dataclass(users, **options, match_args=False)
    if matches:
        match_public_fields(made, _positional_fields(made))
    return checks.adopt(made)


def _positional_fields(made: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(made) if field.init and not field.kw_only]


def _marker_of(text: str, users: type) -> Any:
    """What an annotation means that is more than a type, and is given as text.

    `dataclasses` would look for it in the module of the class, where it can look at nothing.
    """
    known = running.namespaces.get(users.__module__)
    try:
        found = hints.read(text.partition("[")[0], known, None)
    except (SyntaxError, NameError, AttributeError, TypeError):
        return None
    markers = (typing.ClassVar, dataclasses.InitVar, dataclasses.KW_ONLY)
    return found if any(found is marker for marker in markers) else None


def _check_dataclass_field(name: Any, *bases: Any) -> None:
    harmless = not any(issubclass(base, _LEADING_FURTHER) for base in bases)
    if not (harmless and type(name) is str and name in names.GUARDED_ATTRIBUTES):
        checks.check_field_name(name)


def make_dataclass(
    cls_name: str,
    fields: Iterable[Any],
    *,
    bases: tuple[Any, ...] = (),
    namespace: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    bases = (*bases,)
    for base in bases:
        checks.check_base(base)
    listed = [(each,) if isinstance(each, str) else (*each,) for each in fields]
    for name, *_ in listed:
        _check_dataclass_field(name, *bases)
    body = {checks.check_definable(name): value for name, value in (namespace or {}).items()}
    if options.get("slots") and any(type(base) in user_types for base in bases):
        raise Forbidden("a class with a metaclass of yours can't be a dataclass with slots here")
    matches = options.pop("match_args", True)
    made = dataclasses.make_dataclass(
        checks.check_class_name(cls_name),
        # What the library says itself of a field without a type; in Python 3.14 too late for us.
        [(*each, "typing.Any") if len(each) == 1 else each for each in listed],
        bases=bases,
        namespace=checked(body, bases),
        **options,
        match_args=False,
    )
    if matches:
        match_public_fields(made, _positional_fields(made))
    return checks.settle(made)


class _Kinds(type):
    """Of classes that say what is an instance of another one, and do nothing else."""

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, _stands_for[cls])

    def __subclasscheck__(cls, kind: Any) -> bool:
        return kind is cls or issubclass(kind, _stands_for[cls])

    def __call__(cls, *_arguments: Any, **_keywords: Any) -> NoReturn:
        raise Forbidden(f"`{cls.__name__}` only answers isinstance here")


def _refuse_subclass(cls: Any, /, **_keywords: Any) -> NoReturn:
    raise Forbidden(f"`{cls.__mro__[1].__name__}` can't be a base class here")


_stands_for: dict[type, type] = {}


def only_isinstance(name: str, real: type) -> Any:
    """A class in whose place user code may ask isinstance, and from which nothing leads on."""
    made = _Kinds(name, (), {"__init_subclass__": classmethod(_refuse_subclass)})
    made.__module__ = real.__module__
    _stands_for[made] = real
    return made


EnumMeta = only_isinstance("EnumType", enum.EnumType)


def module_type(shim: type) -> Any:
    return only_isinstance("ModuleType", shim)
