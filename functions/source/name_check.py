"""Checks new names of functions."""

import builtins
import keyword
from collections.abc import Container

from functions.errors import Complaint
from functions.errors import gettext as _
from functions.names import HELPERS, MAX_NAME_LENGTH, is_identifier

# The Python that runs programs may be newer than this process's.
_NEWER_BUILTINS = {"PythonFinalizationError"}
_BUILTINS = frozenset(dir(builtins)) | _NEWER_BUILTINS


def check_name(name: str, *, importable: Container[str]) -> Complaint | None:
    """Return a complaint if no function may have this name; `importable` are module names."""
    if reservation := find_reservation(name, importable):
        message = _("%(why)s Choose another name.") % {"why": reservation}
        return Complaint("name", "reserved_name", message)
    if fault := find_fault(name):
        return Complaint("name", "invalid_name", fault)
    return None


def find_fault(name: str) -> str:
    """Return a sentence why this is not a valid name for a function; empty if it is."""
    if not name:
        return _("A function needs a name.")
    if len(name) > MAX_NAME_LENGTH:
        message = _("A name has at most %(limit)s characters; this one has %(count)s.")
        return message % {"limit": MAX_NAME_LENGTH, "count": len(name)}
    if name.startswith("_") and is_identifier(f"n{name}"):
        return _("A name begins with a letter; names with an underscore are private to a module.")
    if not is_identifier(name):
        return _(
            "%(name)s is not a valid name: "
            "use letters from A to Z, digits and underscores, beginning with a letter."
        ) % {"name": repr(name)}
    return ""


def find_reservation(name: str, importable: Container[str]) -> str:
    """Return a sentence why this identifier is reserved; empty if it isn't."""
    if keyword.iskeyword(name):
        return _("`%(name)s` is a keyword of Python.") % {"name": name}
    if name in _BUILTINS:
        return _("`%(name)s` is built into Python.") % {"name": name}
    if name in HELPERS:
        return _("`%(name)s` is a helper that every run has.") % {"name": name}
    if name in importable:
        return _("`%(name)s` is a module that code imports.") % {"name": name}
    return ""
