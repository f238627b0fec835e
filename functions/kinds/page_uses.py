"""PURE: where a Jinja2 template uses names that it doesn't bind itself."""

import re
from collections.abc import Collection, Iterator

from functions.kinds.page_source import Part, template_pieces
from functions.kinds.python_uses import Use

_WORD = re.compile(
    r"""
    "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*'
    | (?P<attribute>[.|]\s*+)? (?P<name>[A-Za-z_]\w*+) (?P<keyword>\s*+=(?!=))?
    """,
    re.VERBOSE | re.DOTALL,
)
# Statements whose names are bound: all of them, those before `in`, or those before an equals sign.
_BINDING = frozenset({"macro", "import", "from", "call", "block"})
_LOOP, _ASSIGNING = "for", frozenset({"set", "with"})


def find_uses(template: str, names: Collection[str]) -> list[Use]:
    """Return the uses of these names, in order; none of a name that is bound anywhere."""
    if not names:
        return []
    found: list[Use] = []
    bound: set[str] = set()
    for piece in template_pieces(template):
        if piece.part is not Part.COMMENT:
            for use, is_bound in _words(template, piece.start, piece.end):
                if use.name in names:
                    bound.add(use.name) if is_bound else found.append(use)
    return [use for use in found if use.name not in bound]


def _words(template: str, start: int, end: int) -> Iterator[tuple[Use, bool]]:
    """Yield names in a piece that are no attributes, filters or tests, and whether they are bound.

    What may be bound is, as with keywords in `set`; other keywords are left out.
    """
    statement, before = "" if template.startswith("{%", start) else "{{", ""
    for word in _WORD.finditer(template, start, end):
        name = word["name"]
        if not name:
            continue
        if not statement or (name == "in" and statement == _LOOP):
            statement = name
        elif not word["attribute"] and before != "is":
            is_assigned = statement in _ASSIGNING and (word["keyword"] or before in _ASSIGNING)
            if statement in (*_BINDING, _LOOP) or is_assigned:
                yield Use(name, *word.span("name")), True
            elif not word["keyword"]:
                yield Use(name, *word.span("name")), False
        before = name
