"""PURE: the parameters of a signature, and the public methods of a class."""

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

MAX_METHODS = 60
_LONGEST_SIGNATURE = 300
_LONGEST_SUMMARY = 200
_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)


def parameters(signature: str) -> list[str]:
    """Return a signature's parameters without types, as one text in a list.

    Empty if there are none, or if the signature, which is free text, isn't Python.
    """
    try:
        parsed = ast.parse(f"def f{signature.replace('→', '->')}: ...").body[0]
        if not isinstance(parsed, ast.FunctionDef):
            return []
        for argument in ast.walk(parsed.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        text = ast.unparse(parsed.args)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    return [text] if text else []


@dataclass(frozen=True, slots=True)
class Method:
    """A public method or property, with its signature as called."""

    signature: str
    summary: str  # the first line of its docstring
    line: int


def outline(code: str, name: str) -> list[Method]:
    """Return the constructor and public methods of a top-level class, in source order.

    Empty if the code defines no such class.
    """
    found = [
        node
        for node in ast.parse(code).body
        if isinstance(node, ast.ClassDef) and node.name == name
    ]
    return list(itertools.islice(_methods(found[-1]), MAX_METHODS)) if found else []


def _methods(cls: ast.ClassDef) -> Iterator[Method]:
    seen: set[str] = set()
    for node in cls.body:
        if isinstance(node, _METHODS) and (node.name == "__init__" or node.name[0] != "_"):
            # A property has a setter of the same name.
            if node.name in seen:
                continue
            seen.add(node.name)
            called = cls.name if node.name == "__init__" else node.name
            summary = (ast.get_docstring(node) or "").partition("\n")[0]
            yield Method(
                _signature(called, node)[:_LONGEST_SIGNATURE],
                summary[:_LONGEST_SUMMARY],
                node.lineno,
            )


def _signature(called: str, method: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    decorators = {each.id for each in method.decorator_list if isinstance(each, ast.Name)}
    returns = f" -> {ast.unparse(method.returns)}" if method.returns else ""
    if decorators & {"property", "cached_property"}:
        return f"{called}{returns}"
    arguments = method.args
    if "staticmethod" not in decorators:
        # Without `self` or `cls`.
        (arguments.posonlyargs or arguments.args)[:1] = []
    kind = "async " if isinstance(method, ast.AsyncFunctionDef) else ""
    return f"{kind}{called}({ast.unparse(arguments)}){returns}"
