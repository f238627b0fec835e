"""Annotations given as text: read as the types that they name, never run."""

from __future__ import annotations

import ast
import types
import typing
from collections.abc import Mapping
from typing import Any

from runner.sandbox import names
from runner.sandbox.guards import MARK, Forbidden, OfferedType, guard_getattr, is_users_own
from runner.sandbox.standins import running


def read(text: str, globals_: Mapping[str, Any] | None, locals_: Mapping[str, Any] | None) -> Any:
    """What an annotation means to the module that it stands in; only names, `[]`, `.` and `|`."""
    known: dict[str, Any] = {}
    # Nobody but user code may have its names looked up.
    for namespace in (globals_, locals_):
        if namespace and MARK in namespace:
            known |= namespace.get("__builtins__", {})
            known |= namespace
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        raise SyntaxError(f"the annotation {text!r} is no expression") from None
    return _Reader(known).value(tree.body)


class _Reader:
    def __init__(self, known: Mapping[str, Any]) -> None:
        self._known = known

    def value(self, node: ast.expr) -> Any:
        read = getattr(self, f"_read_{type(node).__name__}", None)
        if read is None:
            raise Forbidden(f"the annotation {ast.unparse(node)!r} does more than name a type")
        return read(node)

    def _read_Constant(self, node: ast.Constant) -> Any:
        return typing.ForwardRef(node.value) if type(node.value) is str else node.value

    def _read_Name(self, node: ast.Name) -> Any:
        if names.is_private_clash(node.id) or node.id not in self._known:
            raise NameError(f"name '{node.id}' is not defined")
        return self._known[node.id]

    def _read_Attribute(self, node: ast.Attribute) -> Any:
        return guard_getattr(self.value(node.value), node.attr)

    def _read_Subscript(self, node: ast.Subscript) -> Any:
        owner = self.value(node.value)
        if owner is typing.Literal:
            return owner[ast.literal_eval(node.slice)]
        if owner is typing.Annotated and isinstance(node.slice, ast.Tuple):
            kind, *notes = node.slice.elts
            return owner[(self.value(kind), *map(ast.literal_eval, notes))]
        return owner[self.value(node.slice)]

    def _read_Tuple(self, node: ast.Tuple) -> Any:
        return tuple(self.value(item) for item in node.elts)

    def _read_List(self, node: ast.List) -> Any:
        return [self.value(item) for item in node.elts]

    def _read_BinOp(self, node: ast.BinOp) -> Any:
        if not isinstance(node.op, ast.BitOr):
            raise Forbidden(f"the annotation {ast.unparse(node)!r} does more than name a type")
        return self.value(node.left) | self.value(node.right)


def evaluate_deeply(reference: Any, globals_: Any, locals_: Any, *rest: Any, **more: Any) -> Any:
    """What `typing` asks a ForwardRef for up to Python 3.13; `rest` and `more` differ by release.

    They are handed on as they are: `_eval_type` has always had the same.
    """
    found = evaluate(reference, globals=globals_, locals=locals_)
    resolve: Any = typing._eval_type  # type: ignore[attr-defined]
    return resolve(found, globals_, locals_, *rest, **more)


def evaluate(reference: Any, *, globals: Any = None, locals: Any = None, **_options: Any) -> Any:
    """What a ForwardRef of Python 3.14 does; `typing` sees to what is within by itself."""
    home = globals or running.namespaces.get(reference.__forward_module__ or "")
    found = read(reference.__forward_arg__, home, locals)
    return types.NoneType if found is None else found


def get_type_hints(
    thing: Any,
    globalns: dict[str, Any] | None = None,
    localns: dict[str, Any] | None = None,
    include_extras: bool = False,
) -> dict[str, Any]:
    """typing.get_type_hints in the names of user code, and no others."""
    known = _namespace_of(thing) if globalns is None else {**globalns, MARK: True}
    local = None if localns is None else {**localns, MARK: True}
    return typing.get_type_hints(thing, known, local, include_extras=include_extras)


def _namespace_of(thing: Any) -> dict[str, Any]:
    thing = getattr(thing, "__func__", thing) if type(thing) is types.MethodType else thing
    if not is_users_own(thing):
        return {}
    if type(thing) is types.FunctionType:
        return thing.__globals__
    return running.namespaces.get(getattr(thing, "__module__", ""), {})


def get_origin(kind: Any) -> Any:
    """typing.get_origin; of `type[...]` it would be the one that makes classes."""
    origin = typing.get_origin(kind)
    return OfferedType if origin is type else origin
