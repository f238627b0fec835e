"""PURE: formats code with Black."""

import black
from black.parsing import InvalidInput

from functions.errors import Refusal

_MODE = black.Mode(line_length=100)


def format_code(code: str) -> str:
    """Return the formatted code. Raises Refusal if it can't be parsed."""
    try:
        return black.format_str(code, mode=_MODE)
    except InvalidInput as error:
        message = "Only code without syntax errors can be formatted."
        raise Refusal("syntax_error", message, field="code") from error
