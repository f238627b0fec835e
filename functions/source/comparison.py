"""PURE: reads the two sides of a comparison from the message of a failed assertion."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

_OPENING, _CLOSING, _QUOTES = "([{<", ")]}>", "'\""
_SIGN = " == "
# Words outside of values: with these, a message is more than one comparison.
_MORE = (" or ", " and ", ": ")
_ENDS = (", where ", " (")


class Comparison(NamedTuple):
    """The expected value of an assertion, and the one it got; both as text."""

    expected: str
    got: str


def comparison_of(
    verdict: str, message: str, cases: Iterable[Sequence[Any]], *, assertion: str, subject: str
) -> Comparison | None:
    """Return the sides of the assertion that a result failed at; `cases` as results have them."""
    if verdict != "failed":
        return None
    # The whole result's message begins with the name of the case.
    failed = [said for _, ended, said, _ in cases if ended == "failed" and said]
    return read_comparison(failed[0] if failed else message, assertion, subject)


def read_comparison(message: str, assertion: str, name: str) -> Comparison | None:
    """Return the sides of a message like `3 == 4, where f(x) is 3`; None if it says more.

    `assertion` is the line of source. The side that calls `name`, usually the left one, is what
    the test got.
    """
    text = message.partition("\n")[0]
    outer = _outside(text)
    end = min([at for at in map(outer.find, _ENDS) if at >= 0], default=len(text))
    text, outer = text[:end], outer[:end]
    is_plain = outer.count(_SIGN) == 1 and not outer.startswith("not ")
    if not is_plain or any(word in outer for word in _MORE):
        return None
    at = outer.index(_SIGN)
    left, right = text[:at], text[at + len(_SIGN) :]
    return Comparison(left, right) if _is_reversed(assertion, name) else Comparison(right, left)


def _is_reversed(assertion: str, name: str) -> bool:
    """Return whether only the right side of the assertion calls `name`."""
    at = _outside(assertion).find(_SIGN)
    call = f"{name}("
    return at >= 0 and call not in assertion[:at] and call in assertion[at:]


def _outside(text: str) -> str:
    """Return the text with NULs for all that is inside brackets and quotes."""
    shown, depth, quote, is_escaped = [], 0, "", False
    for at, character in enumerate(text):
        inside = bool(depth or quote)
        if quote:
            if not is_escaped and character == quote:
                quote = ""
            is_escaped = character == "\\" and not is_escaped
        elif character in _QUOTES:
            quote = character
        elif character in _OPENING and text[at : at + 2] not in ("< ", "<="):
            depth += 1
        elif character in _CLOSING and depth:
            depth -= 1
        # An opening bracket itself is outside.
        shown.append("\0" if inside else character)
    return "".join(shown)
