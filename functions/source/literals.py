"""PURE: parses arguments as typed by users: Python literals as in a call, or JSON."""

import ast
import json
import warnings
from collections.abc import Mapping
from typing import Any, NoReturn

from functions.errors import Refusal, TooLarge

MAX_TEXT_BYTES = 20_000
PARTS = frozenset({"args", "kwargs"})
# JSON's spelling of constants.
_CONSTANTS = {"true": True, "false": False, "null": None}
_NUMBERS = (int, float, complex)


def read_literals(text: str) -> Mapping[str, Any]:
    """Parse typed arguments. Raises a Refusal with the position of anything but literals.

    Returns the `source` of Python literals, or `json` if the text is an object of `args` and
    `kwargs`, as in a call over HTTP.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_TEXT_BYTES:
        message = f"The arguments have more than {MAX_TEXT_BYTES:,} bytes."
        raise TooLarge("too_large", message, field="args")
    if (sent := _as_sent(text)) is not None:
        return {"json": sent}
    call = _parse(text)
    for argument in call.args:
        _check(argument, text)
    for keyword in call.keywords:
        if keyword.arg is None:
            _refuse(keyword.value, text, "`**` is not a literal: pass each argument by name")
        _check(keyword.value, text)
    spelled = ast.unparse(_Constants().visit(call))
    return {"source": spelled[2:-1]}


def _as_sent(text: str) -> dict[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        sent = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not sent or sent.keys() - PARTS:
        return None
    args, kwargs = sent.get("args", []), sent.get("kwargs", {})
    return sent if isinstance(args, list) and isinstance(kwargs, dict) else None


def _parse(text: str) -> ast.Call:
    # The text starts on a new line, so its line numbers are one less than the source's.
    source = f"f(\n{text}\n)"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source, mode="eval").body
    except SyntaxError as error:
        lines = text.split("\n")
        line = min(max((error.lineno or 2) - 1, 1), len(lines))
        message = error.msg.split(" (")[0]  # the rest has line numbers of `source`
        raise _refusal(message, line, max(error.offset or 1, 1)) from None
    except (ValueError, RecursionError, MemoryError):
        raise _refusal("this is not valid Python", 1, 1) from None
    first = tree.func if isinstance(tree, ast.Call) else None
    if not isinstance(tree, ast.Call) or not isinstance(first, ast.Name) or first.lineno != 1:
        raise _refusal("a closing bracket has no opening one", 1, 1)
    return tree


def _check(node: ast.expr, text: str) -> None:
    """Refuse anything but literals; iterative, as they may be deeply nested."""
    waiting: list[ast.expr | None] = [node]
    while waiting:
        match part := waiting.pop():
            case ast.Constant() if part.value is not ...:
                continue
            case ast.Name(id=name) if name in _CONSTANTS:
                continue
            case ast.List() | ast.Tuple() | ast.Set():
                waiting += part.elts
            case ast.Dict():
                if None in part.keys:
                    _refuse(part, text, "`**` is not a literal")
                waiting += [*part.keys, *part.values]
            case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=ast.Constant(value=number)) if (
                type(number) in _NUMBERS
            ):
                continue
            case ast.expr():
                _refuse(part, text, f"`{_spelled(part, text)}` is not a literal")


def _spelled(node: ast.expr, text: str) -> str:
    source = ast.get_source_segment(f"f(\n{text}\n)", node) or "this"
    first = source.split("\n")[0]
    return first if len(first) <= 40 else f"{first[:40]}…"


def _refuse(node: ast.expr, text: str, problem: str) -> NoReturn:
    if node.lineno == 1:  # a generator without brackets of its own takes those of the call
        raise _refusal("a generator is not a literal", 1, 1)
    line = text.split("\n")[node.lineno - 2]
    column = len(line.encode()[: node.col_offset].decode()) + 1
    raise _refusal(problem, node.lineno - 1, column)


def _refusal(problem: str, line: int, column: int) -> Refusal:
    message = f"Line {line}, column {column}: {problem}."
    return Refusal("invalid_arguments", message, field="args", line=line, column=column)


class _Constants(ast.NodeTransformer):
    """Replaces JSON's constants with Python's."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(_CONSTANTS[node.id]) if node.id in _CONSTANTS else node
