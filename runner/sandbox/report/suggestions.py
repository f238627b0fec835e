"""What somebody probably meant by a name that isn't there."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any

_MOST_CANDIDATES = 750
_LONGEST = 40
# Of the letters of both names, about a third may be other ones; another case is half a letter.
_LETTER, _CASE = 2, 1


def suggestion(error: BaseException, frame: FrameType | None) -> str:
    """Return what to add to the message of a builtin exception; empty if nothing comes close."""
    match type(error):
        case builtins.NameError if frame is not None:
            return _for_name(_name_of(error), frame)
        case builtins.AttributeError:
            # Of an AttributeError that somebody made by hand both are None.
            thing: Any = error.obj  # type: ignore[attr-defined]
            return _did_you_mean(closest(_name_of(error), dir(thing))) if _name_of(error) else ""
    return ""


def closest(wrong: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that `wrong` is most likely a misspelling of."""
    if not wrong or len(wrong) > _LONGEST:
        return None
    best, least = None, 0
    for number, name in enumerate(candidates):
        if number >= _MOST_CANDIDATES:
            return None
        if not _is_mentionable(name, wrong):
            continue
        most = (len(wrong) + len(name) + 3) * _LETTER // 6
        distance = _distance(wrong, name, min(most, least - 1) if best else most)
        if distance is not None:
            best, least = name, distance
    return best


def _name_of(error: Any) -> str:
    return error.name if type(error.name) is str else ""


def _did_you_mean(name: str | None) -> str:
    return f". Did you mean: `{name}`?" if name else ""


def _for_name(wrong: str, frame: FrameType) -> str:
    known = {**frame.f_builtins, **frame.f_globals, **frame.f_locals}
    if wrong in known:
        return ""
    itself = frame.f_locals.get("self")
    if itself is not None and wrong in dir(itself) and not wrong.startswith("_"):
        return _did_you_mean(f"self.{wrong}")
    if wrong in sys.stdlib_module_names and not wrong.startswith("_"):
        return f". Did you forget `import {wrong}`?"
    return _did_you_mean(closest(wrong, known))


def _is_mentionable(name: Any, wrong: str) -> bool:
    """Tell whether it isn't private, but to who asks for such a name."""
    if type(name) is not str or name == wrong or len(name) > _LONGEST:
        return False
    return name.isidentifier() and (wrong.startswith("_") or not name.startswith("_"))


def _distance(one: str, other: str, most: int) -> int | None:
    """Return Levenshtein's distance; None if it is more than `most`."""
    if abs(len(one) - len(other)) * _LETTER > most:
        return None
    row = [number * _LETTER for number in range(len(other) + 1)]
    for index, mine in enumerate(one, start=1):
        before, row = row, [index * _LETTER]
        for number, others in enumerate(other):
            if mine == others:
                replaced = before[number]
            else:
                same = mine.casefold() == others.casefold()
                replaced = before[number] + (_CASE if same else _LETTER)
            row.append(min(replaced, before[number + 1] + _LETTER, row[number] + _LETTER))
        if min(row) > most:
            return None
    return row[-1] if row[-1] <= most else None
