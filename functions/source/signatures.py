"""PURE: how code for a signature may start, and the public methods of a class."""

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

MAX_METHODS = 60
MAX_SIGNATURE = 300
MAX_SUMMARY = 200
_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)


def starter(signature: str) -> list[str]:
    """Return a signature's parameters without types, arguments that fit them, and the result type.

    Empty if the signature, which is free text, isn't Python.
    """
    try:
        parsed = ast.parse(f"def f{signature.replace('→', '->')}: ...").body[0]
        if not isinstance(parsed, ast.FunctionDef):
            return []
        arguments = ", ".join(_arguments(parsed.args))
        returns = ast.unparse(parsed.returns) if parsed.returns else ""
        for argument in ast.walk(parsed.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        return [ast.unparse(parsed.args), arguments, returns]
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []


# Arguments to try, by type; a second parameter of a type gets the second one, and so on.
_EXAMPLES = {
    "int": ("2", "3", "5", "7"),
    "float": ("1.5", "0.25", "2.0"),
    "complex": ("1j", "2 + 1j"),
    "bool": ("True", "False"),
    "str": ('"abc"', '"xyz"', '"hello"'),
    "bytes": ('b"abc"', 'b"xyz"'),
    "list": ("[1, 2, 3]", "[4, 5]"),
    "tuple": ("(1, 2)", "(3, 4)"),
    "set": ("{1, 2, 3}", "{3, 4}"),
    "dict": ('{"a": 1}', '{"b": 2}'),
    "None": ("None",),
}
_EXAMPLES["Sequence"] = _EXAMPLES["Iterable"] = _EXAMPLES["Collection"] = _EXAMPLES["list"]
_EXAMPLES["Mapping"] = _EXAMPLES["dict"]


def _arguments(parameters: ast.arguments) -> Iterator[str]:
    """Yield an argument for each parameter that needs one; `...` for unknown types."""
    used: dict[str, int] = {}
    positional = [*parameters.posonlyargs, *parameters.args]
    for one in positional[: len(positional) - len(parameters.defaults)]:
        yield _example(one.annotation, used)
    for one, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True):
        if default is None:
            yield f"{one.arg}={_example(one.annotation, used)}"


def _example(annotation: ast.expr | None, used: dict[str, int]) -> str:
    """Return an example of the type; `used` counts those that were given by type."""
    if isinstance(annotation, ast.BinOp):  # a union: its first member
        return _example(annotation.left, used)
    of = ""
    if isinstance(annotation, ast.Subscript):
        of, annotation = ast.unparse(annotation.slice), annotation.value
    name = ast.unparse(annotation).rpartition(".")[2] if annotation else ""
    examples = _EXAMPLES.get(name, ("...",))
    if of == "str" and examples is _EXAMPLES["list"]:
        return '["a", "b"]'
    used[name] = used.get(name, -1) + 1
    return examples[used[name] % len(examples)]


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
                signature_of(called, node, bound=True)[:MAX_SIGNATURE],
                summary[:MAX_SUMMARY],
                node.lineno,
            )


def signature_of(
    called: str, function: ast.FunctionDef | ast.AsyncFunctionDef, *, bound: bool = False
) -> str:
    """Return a function's signature as called; without `self` or `cls` if it is `bound`."""
    decorators = {each.id for each in function.decorator_list if isinstance(each, ast.Name)}
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    if decorators & {"property", "cached_property"}:
        return f"{called}{returns}"
    arguments = function.args
    if bound and "staticmethod" not in decorators:
        (arguments.posonlyargs or arguments.args)[:1] = []
    kind = "async " if isinstance(function, ast.AsyncFunctionDef) else ""
    return f"{kind}{called}({ast.unparse(arguments)}){returns}"
