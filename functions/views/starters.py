"""PURE: what a new draft begins with, so that nobody faces an empty page."""

import ast

from functions.models import Function


def starter_code(function: Function, noun: str) -> str:
    """Return a first text for an implementation or a test of this function."""
    if noun == "test":
        return f"def test_one_case():\n    assert {function.name}(...) == ...\n"
    return f"def {function.name}({', '.join(parameters(function.signature))}):\n    ...\n"


def parameters(signature: str) -> list[str]:
    """Return the parameters as Python has them, without types; none if it isn't Python."""
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
