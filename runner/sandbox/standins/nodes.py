"""What `ast` does to nodes: their attributes are set, so that they must be nodes indeed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from runner.sandbox.guards import Forbidden


def _of_nodes(change: Callable[..., Any]) -> Callable[..., Any]:
    def changing(node: Any, *more: Any) -> Any:
        for each in (node, *more):
            if not issubclass(type(each), ast.AST | int):
                raise Forbidden(f"`{change.__name__}` works on nodes of `ast` only")
        return change(node, *more)

    changing.__name__ = changing.__qualname__ = change.__name__
    return changing


def get_docstring(node: Any, clean: bool = True) -> str | None:
    if not issubclass(type(node), ast.AST):
        raise Forbidden("`get_docstring` works on nodes of `ast` only")
    return ast.get_docstring(node, bool(clean))


AST: dict[str, Any] = {
    "copy_location": _of_nodes(ast.copy_location),
    "fix_missing_locations": _of_nodes(ast.fix_missing_locations),
    "increment_lineno": _of_nodes(ast.increment_lineno),
    "get_docstring": get_docstring,
}
