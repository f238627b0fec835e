"""Changes to the library of this process, where a stand-in would leave the original in reach.

`mro()` leads from a class to the classes it is made of, and from a class of the user's all that
these keep private can be called. So what is dangerous there is changed there.
"""

from __future__ import annotations

import _string  # type: ignore[import-not-found]
import ast
import calendar
import collections
import configparser
import contextlib
import copy
import dataclasses
import enum
import inspect
import random
import reprlib
import string
import sys
import textwrap
import traceback
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from runner.sandbox import exhaustion
from runner.sandbox.guards import Forbidden, check_written_name, guard_getattr, is_users_own
from runner.sandbox.standins import checks, hints, zones
from runner.sandbox.standins.shim import Copied


def _refuse(message: str) -> Callable[..., NoReturn]:
    def refuse(*_arguments: Any, **_keywords: Any) -> NoReturn:
        raise Forbidden(message)

    return refuse


# --- copy: an object's state is set under names that it chose itself -------------------------


def _reconstruct(
    original: Any,
    memo: dict[int, Any] | None,
    make: Callable[..., Any],
    arguments: Any,
    state: Any = None,
    items: Any = None,
    pairs: Any = None,
) -> Any:
    def deeply(thing: Any) -> Any:
        return thing if memo is None else copy.deepcopy(thing, memo)

    made = make(*[deeply(argument) for argument in arguments])
    # `__new__` may have given something that isn't the user's to change.
    if type(made) is not type(original):
        raise Forbidden(f"copying made a {type(made).__name__}, not {type(original).__name__}")
    if memo is not None:
        memo[id(original)] = made
    if state is not None:
        _set_state(made, deeply(state))
    for item in items or ():
        made.append(deeply(item))
    for key, value in pairs or ():
        made[deeply(key)] = deeply(value)
    return made


def _set_state(made: Any, state: Any) -> None:
    plain, slots = state if type(state) is tuple and len(state) == 2 else (state, None)
    for attributes in (plain, slots):
        if isinstance(attributes, dict):
            for name in dict.keys(attributes):
                check_written_name(name)
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return
    if plain:
        made.__dict__.update(plain)
    if slots is not None:
        # Not by a method of its own, which could give others than those that were looked at.
        for name, value in dict.items(slots):
            setattr(made, name, value)


def _copy_container(self: Any) -> Any:
    """What UserDict and UserList do, for what is one."""
    cls: Any = type(self)
    made = cls.__new__(cls)
    if type(made) is not type(self):
        raise Forbidden(f"copying made a {type(made).__name__}, not {type(self).__name__}")
    made.__dict__.update(self.__dict__)
    made.__dict__["data"] = self.__dict__["data"].copy()
    return made


def _copy_method(method: Any, memo: dict[int, Any]) -> Any:
    # The objects of the library's methods are nobody's to have, nor to have a copy of.
    if not is_users_own(method.__func__):
        return method
    return type(method)(method.__func__, copy.deepcopy(method.__self__, memo))


# --- dataclasses: read the attributes that an object's fields name ------------------------------

_FIELDS = "__dataclass_fields__"
_fields_of: Any = dataclasses.fields
_replaced: Any = dataclasses.replace


def _fields(class_or_instance: Any) -> tuple[Any, ...]:
    kind = type(class_or_instance)
    return _fields_of(class_or_instance if issubclass(kind, type) else kind)  # type: ignore[no-any-return]


def _replace(obj: Any, /, **changes: Any) -> Any:
    if getattr(obj, _FIELDS, None) is not getattr(type(obj), _FIELDS, None):
        raise Forbidden("the fields of an object are those of its class")
    return _replaced(obj, **changes)


# --- string.Formatter: reads attributes that a text names ------------------------------------


def _get_field(self: string.Formatter, name: str, arguments: Any, keywords: Any) -> Any:
    first, rest = _string.formatter_field_name_split(name)
    found = self.get_value(first, arguments, keywords)
    for is_attribute, key in rest:
        found = guard_getattr(found, key) if is_attribute else found[key]
    return found, first


# --- enum: makes classes of names that nobody has checked --------------------------------------

_create_enum: Any = getattr(enum.EnumType, "_create_", None)


def _create(
    cls: Any, class_name: Any, names: Any, *, type: Any = None, start: Any = 1, **options: Any
) -> Any:
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    # Looked at once, so that they can't be others the second time.
    members = [*names.items()] if isinstance(names, dict) else [*names]
    if members and not isinstance(members[0], str):
        members = [(name, value) for name, value in members]
    for member in members:
        checks.check_member_name(member if isinstance(member, str) else member[0])
    if type is not None:
        checks.check_base(type)
    made = _create_enum(
        cls,
        checks.check_class_name(class_name),
        members,
        module="enum",
        type=type,
        start=start,
        boundary=options.get("boundary"),
    )
    return checks.settle(made)


# --- ast: reads and writes the attributes that a node's `_fields` names -----------------------


def _iter_fields(node: Any) -> Iterator[tuple[str, Any]]:
    if type(node).__module__ != "ast" or not isinstance(node, ast.AST):
        raise Forbidden("only nodes that `ast` itself has made have fields")
    for name in type(node)._fields:
        if hasattr(node, name):
            yield name, getattr(node, name)


# --- inspect: runs what annotations and docstrings say -----------------------------------------

_signature_of: Any = inspect.Signature.from_callable.__func__  # type: ignore[attr-defined]
_signature_from_text: Any = getattr(inspect, "_signature_fromstr", None)


def _from_callable(
    cls: Any,
    function: Any,
    /,
    *,
    follow_wrapped: bool = True,
    eval_str: bool = False,
    **_names: Any,
) -> Any:
    if eval_str:
        raise Forbidden("annotations aren't run here; typing.get_type_hints reads them")
    return _signature_of(cls, function, follow_wrapped=follow_wrapped)


def _from_text(cls: Any, thing: Any, text: str, *options: Any) -> Any:
    # The text of a class's docstring, if it looks like that of a builtin.
    if is_users_own(thing):
        raise ValueError(f"no signature found for {thing!r}")
    return _signature_from_text(cls, thing, text, *options)


# --- random: a generator that isn't given a seed asks the system for one ------------------------

_set_seed: Any = random.Random.seed


def _seed(self: random.Random, a: Any = None, version: int = 2) -> None:
    _set_seed(self, random.getrandbits(128) if a is None else a, version)


# --- what goes on whatever is raised: it must not do so with memory that has run out ------------

_push_exit: Any = getattr(contextlib.ExitStack, "_push_exit_callback", None)
_safe_string: Any = getattr(traceback, "_safe_string", None)


def _push_exit_callback(self: Any, callback: Any, is_sync: bool = True) -> None:
    def leave(kind: Any, error: Any, where: Any) -> Any:
        exhaustion.heed(error)
        return callback(kind, error, where)

    _push_exit(self, leave, is_sync)


def _safely(value: Any, what: str, func: Any = str) -> Any:
    return _safe_string(value, what, exhaustion.heeding(func))


def _changes() -> tuple[tuple[Any, str, Any], ...]:
    return (
        (copy, "_reconstruct", _reconstruct),
        (dataclasses, "fields", _fields),
        (dataclasses, "replace", _replace),
        (sys, "unraisablehook", exhaustion.unraisable),
        (contextlib.ExitStack.__mro__[1], "_push_exit_callback", _push_exit_callback),
        (traceback, "_safe_string", _safely),
        # The module's only use of its `builtins` is `repr`.
        (reprlib, "builtins", types.SimpleNamespace(repr=exhaustion.heeding(repr))),
        (string.Formatter, "get_field", _get_field),
        (enum.EnumType, "_create_", _create),
        # It takes all that is in any module.
        (enum.EnumType, "_convert_", _refuse("enums aren't made of modules here")),
        (ast, "iter_fields", _iter_fields),
        (inspect.Signature, "from_callable", classmethod(_from_callable)),
        (inspect, "_signature_fromstr", _from_text),
        (typing.ForwardRef, "_evaluate", hints.evaluate_deeply),
        (typing.ForwardRef, "evaluate", hints.evaluate),
        (random.Random, "seed", _seed),
    )


def repair() -> None:
    """Once in a process that runs programs; after all modules have been imported."""
    for owner, name, changed in _changes():
        # What this release of Python doesn't have needs no change.
        if hasattr(owner, name):
            setattr(owner, name, changed)
    containers: tuple[Any, ...] = (collections.UserDict, collections.UserList)
    for container in containers:
        container.__copy__ = _copy_container
    copy._deepcopy_dispatch[types.MethodType] = _copy_method  # type: ignore[attr-defined]
    shared: tuple[tuple[Any, str], ...] = (
        (configparser.RawConfigParser, "BOOLEAN_STATES"),
        (textwrap.TextWrapper, "unicode_whitespace_trans"),
        (calendar.HTMLCalendar, "cssclasses"),
        (calendar.HTMLCalendar, "cssclasses_weekday_head"),
    )
    for owner, name in shared:
        setattr(owner, name, Copied(getattr(owner, name)))
    zones.preload()
