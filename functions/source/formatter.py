"""PURE: formats code with Black."""

import black
from black.parsing import InvalidInput

from functions.errors import Refusal
from functions.errors import gettext as _

_MODE = black.Mode(line_length=100)


def format_code(code: str) -> str:
    """Return the formatted code. Raises Refusal if it can't be parsed or formatted."""
    try:
        return black.format_str(code, mode=_MODE)
    except InvalidInput as error:
        message = _("Only code without syntax errors can be formatted.")
        raise Refusal("syntax_error", message, field="code") from error
    except (AssertionError, AttributeError, LookupError, ValueError) as error:
        # Faults of Black's, most of them on code that Python doesn't parse either.
        message = _("Black can't format this code.")
        raise Refusal("not_formatted", message, field="code") from error
