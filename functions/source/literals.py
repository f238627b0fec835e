"""PURE: arguments as people type them: literals, as between the brackets of a call, or JSON."""

import ast
import json
import warnings
from collections.abc import Mapping
from typing import Any, NoReturn

from functions.errors import Refusal, TooLarge

LARGEST_TEXT_BYTES = 20_000
PARTS = frozenset({"args", "kwargs"})
# As JSON spells them.
_CONSTANTS = {"true": True, "false": False, "null": None}
_NUMBERS = (int, float, complex)


def read_literals(text: str) -> Mapping[str, Any]:
    """Read what was typed; refuses, saying where, what is more than literals.

    Returns the `source` of Python's literals, or `json` where all of it was an object of `args`
    and `kwargs`, as a call over HTTP is sent.
    """
    if len(text.encode("utf-8", "surrogatepass")) > LARGEST_TEXT_BYTES:
        message = f"At most {LARGEST_TEXT_BYTES:,} bytes of arguments are taken here."
        raise TooLarge("too_large", message, field="args")
    if (sent := _as_sent(text)) is not None:
        return {"json": sent}
    call = _parse(text)
    for argument in call.args:
        _check(argument, text)
    for keyword in call.keywords:
        if keyword.arg is None:
            _refuse(keyword.value, text, "`**` is no literal: write each argument by its name")
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
    # A line of its own: lines count from 1 in what was typed when one is taken off.
    source = f"f(\n{text}\n)"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source, mode="eval").body
    except SyntaxError as error:
        lines = text.split("\n")
        line = min(max((error.lineno or 2) - 1, 1), len(lines))
        said = error.msg.split(" (")[0]  # which tells lines of ours
        raise _refusal(said, line, max(error.offset or 1, 1)) from None
    except (ValueError, RecursionError, MemoryError):
        raise _refusal("this can't be read as Python", 1, 1) from None
    first = tree.func if isinstance(tree, ast.Call) else None
    if not isinstance(tree, ast.Call) or not isinstance(first, ast.Name) or first.lineno != 1:
        raise _refusal("a bracket is closed that was not opened", 1, 1)
    return tree


def _check(node: ast.expr, text: str) -> None:
    """Refuse what is no literal; nested no deeper than Python itself has parsed."""
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
                    _refuse(part, text, "`**` is no literal")
                waiting += [*part.keys, *part.values]
            case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=ast.Constant(value=number)) if (
                type(number) in _NUMBERS
            ):
                continue
            case ast.expr():
                _refuse(part, text, f"`{_spelled(part, text)}` is no literal")


def _spelled(node: ast.expr, text: str) -> str:
    said = ast.get_source_segment(f"f(\n{text}\n)", node) or "this"
    first = said.split("\n")[0]
    return first if len(first) <= 40 else f"{first[:40]}…"


def _refuse(node: ast.expr, text: str, said: str) -> NoReturn:
    if node.lineno == 1:  # a generator has our bracket for its own
        raise _refusal("a generator is no literal", 1, 1)
    line = text.split("\n")[node.lineno - 2]
    column = len(line.encode()[: node.col_offset].decode()) + 1
    raise _refusal(said, node.lineno - 1, column)


def _refusal(said: str, line: int, column: int) -> Refusal:
    message = f"Line {line}, column {column}: {said}."
    return Refusal("invalid_arguments", message, field="args", line=line, column=column)


class _Constants(ast.NodeTransformer):
    """Spells JSON's constants as Python does."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(_CONSTANTS[node.id]) if node.id in _CONSTANTS else node
