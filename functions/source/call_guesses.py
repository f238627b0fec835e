"""PURE: what the signature of a missing function may be, guessed from a call in code that uses it.

A scan of a few characters, as parsing code is left to confined processes.
"""

import re
from collections.abc import Iterable, Iterator

MAX_CHARACTERS = 400  # of a call's arguments
MAX_PARAMETERS = 12
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYWORD = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*=(?!=)")
_OPEN, _CLOSE = "([{", ")]}"
_LETTERS = "abcdefghijklmnop"


def guess_signature(name: str, codes: Iterable[str]) -> str:
    """Return a signature that fits the first call of this name; empty if there is none."""
    call = re.compile(rf"(?<![\w<.]){re.escape(name)}\(")
    for code in codes:
        if found := call.search(code):
            arguments = _arguments(code[found.end() : found.end() + MAX_CHARACTERS])
            if arguments is not None and len(arguments) <= MAX_PARAMETERS:
                return f"({', '.join(_parameters(arguments))})"
    return ""


def _parameters(arguments: Iterable[str]) -> Iterator[str]:
    """Yield a name for each argument: its own if it has one, else a letter."""
    taken: set[str] = set()
    for place, argument in enumerate(arguments):
        keyword = _KEYWORD.match(argument)
        name = keyword[1] if keyword else argument
        if not _NAME.fullmatch(name) or name in taken or name in {"None", "True", "False"}:
            name = next(letter for letter in _LETTERS[place:] + _LETTERS if letter not in taken)
        taken.add(name)
        yield name


def _arguments(text: str) -> list[str] | None:
    """Return a call's arguments, given the text after its parenthesis; None if it isn't closed."""
    arguments, start, depth, quote = [], 0, 0, ""
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote and text[place - 1] != "\\" else quote
        elif character in "'\"":
            quote = character
        elif character in _OPEN:
            depth += 1
        elif character in _CLOSE and depth:
            depth -= 1
        elif character in _CLOSE or (character == "," and not depth):
            arguments.append(text[start:place].strip())
            start = place + 1
            if character in _CLOSE:
                return [argument for argument in arguments if argument]
    return None
