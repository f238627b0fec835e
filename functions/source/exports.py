"""PURE: the names that a module offers to those that import it."""

import ast
from dataclasses import dataclass

from functions.source.scopes import scope_of
from functions.source.signatures import MAX_SIGNATURE, MAX_SUMMARY, signature_of

MAX_EXPORTS = 200


@dataclass(frozen=True, slots=True)
class Export:
    """A public name; `signature` and `summary` are empty for values."""

    name: str
    kind: str  # "function", "class" or "value"
    signature: str
    summary: str  # the first line of the docstring


def exports(code: str) -> list[Export]:
    """Return the public names of a module, sorted. Raises SyntaxError."""
    defined = {
        node.name: node
        for node in ast.parse(code).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    names = sorted(scope_of(code).public)[:MAX_EXPORTS]
    return [_export(name, defined.get(name)) for name in names]


def _export(
    name: str, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | None
) -> Export:
    if node is None:
        return Export(name, "value", "", "")
    summary = (ast.get_docstring(node) or "").partition("\n")[0][:MAX_SUMMARY]
    if not isinstance(node, ast.ClassDef):
        return Export(name, "function", signature_of(name, node)[:MAX_SIGNATURE], summary)
    makers = [
        each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"
    ]
    signature = signature_of(name, makers[-1], bound=True) if makers else f"{name}()"
    return Export(name, "class", signature[:MAX_SIGNATURE], summary)
