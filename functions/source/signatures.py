"""PURE: signatures, which people write as they like."""

import ast


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
