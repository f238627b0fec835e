"""Names and classes that user code hands to what makes classes of them."""

from __future__ import annotations

import keyword
from typing import Any

from runner.sandbox import names
from runner.sandbox.guards import SEALED_CLASSES, Forbidden, user_types
from runner.sandbox.ownership import calling_module

_NEVER_FIELDS = names.FORBIDDEN_ATTRIBUTES | names.GUARDED_ATTRIBUTES


def check_class_name(name: Any) -> str:
    if type(name) is not str:
        raise Forbidden("a class's name must be a plain str")
    if not name.isidentifier() or name.startswith("__"):
        raise Forbidden("a class's name must be an identifier")
    return name


def check_field_name(name: Any) -> None:
    """Patterns read fields by position, so what they are called matters."""
    plain = type(name) is str and name.isidentifier() and not name.startswith("__")
    if not plain or name in _NEVER_FIELDS:
        raise Forbidden(f"`{name}` can't be a field's name here")


def check_member_name(name: Any) -> None:
    """Of an enum: what could be written as an assignment in a class body."""
    if type(name) is not str or not name.isidentifier() or names.is_private_clash(name):
        raise Forbidden(f"`{name}` can't be a member's name here")


def check_definable(name: Any) -> str:
    """What a class's namespace may hold."""
    if type(name) is str and name in names.DEFINABLE_DUNDERS:
        return name
    if type(name) is not str or names.is_private_clash(name) or keyword.iskeyword(name):
        raise Forbidden(f"`{name}` can't be defined here")
    return name


def check_base(base: Any) -> None:
    for sealed in SEALED_CLASSES.intersection(getattr(base, "__mro__", ())):
        raise Forbidden(f"`{sealed.__name__}` can't be a base class here")
    if isinstance(base, type) and issubclass(base, type):
        raise Forbidden("a metaclass can't be a base class here")


def adopt(made: Any) -> Any:
    """A class that was made for user code counts as its own."""
    check_base(made)
    user_types.add(made)
    return made


def settle(made: Any) -> Any:
    """A class that didn't exist before is written in the module that asks for it."""
    type.__setattr__(made, "__module__", calling_module())
    return adopt(made)
