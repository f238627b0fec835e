"""PURE: parses signatures, which are free text."""

import ast


def parameters(signature: str) -> list[str]:
    """Return the parameters without types, as one text in a list; empty if it isn't Python."""
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
