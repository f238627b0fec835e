"""The highlighted tokens of code in each language."""

import builtins
import keyword
import re
from collections.abc import Callable, Iterator, Mapping

from functions.kinds import javascript_lexer
from functions.source.lexer import Kind, Token, tokens
from functions.views.template_highlighter import highlight_template

# The CSS classes are those of Pygments.
_OPERATORS = frozenset({"and", "in", "is", "not", "or"})
_CONSTANTS = frozenset({"False", "None", "True"})
_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
_CLASSES_OF_NAMES = {
    **dict.fromkeys(_BUILTINS, "nb"),
    **dict.fromkeys(("self", "cls"), "bp"),
    **dict.fromkeys(keyword.kwlist, "k"),
    **dict.fromkeys(_OPERATORS, "ow"),
    **dict.fromkeys(_CONSTANTS, "kc"),
}
_CLASSES_OF_KINDS = {Kind.COMMENT: "c1", Kind.STRING: "s", Kind.NUMBER: "mi"}
_NAME_OF_MEMBER = re.compile(r"\s*:")
_JSON_CONSTANTS = frozenset({"true", "false", "null"})
_JAVASCRIPT_AFTER = {"function": "nf", "class": "nc"}
_JAVASCRIPT_NAMES = {
    **dict.fromkeys(
        "async await break case catch class const continue debugger default delete do else extends"
        " finally for function get if in instanceof let new of return set static super switch throw"
        " try typeof var void while with yield".split(),
        "k",
    ),
    **dict.fromkeys("true false null undefined NaN Infinity".split(), "kc"),
    **dict.fromkeys(
        "Array BigInt Boolean Date Error JSON Map Math Number Object Promise Proxy RangeError"
        " Reflect RegExp Set String Symbol TypeError console assert check log".split(),
        "nb",
    ),
    "this": "bp",
}
_CLASSES_AFTER = {"def": "nf", "class": "nc"}


def _highlight_python(source: str) -> Iterator[tuple[Token, str]]:
    """Yield the highlighted tokens with their CSS class."""
    before = ""
    for token in tokens(source):
        css = _CLASSES_OF_KINDS.get(token.kind, "")
        if token.kind is Kind.NAME:
            name = source[token.start : token.end]
            css = _CLASSES_AFTER.get(before) or _css_of_name(source, token.start, name)
            before = name
        else:
            before = ""
        if css:
            yield token, css


def _highlight_json(source: str) -> Iterator[tuple[Token, str]]:
    """Yield the highlighted tokens of JSON, whose texts and numbers are written as Python's."""
    for token in tokens(source):
        css = _CLASSES_OF_KINDS.get(token.kind, "")
        if token.kind is Kind.NAME and source[token.start : token.end] in _JSON_CONSTANTS:
            css = "kc"
        elif token.kind is Kind.STRING and _NAME_OF_MEMBER.match(source, token.end):
            css = "nt"
        if css:
            yield token, css


def _highlight_javascript(source: str) -> Iterator[tuple[Token, str]]:
    """Yield the highlighted tokens of JavaScript."""
    before = ""
    for token in javascript_lexer.tokens(source):
        css = _CLASSES_OF_KINDS.get(token.kind, "")
        name = source[token.start : token.end] if token.kind is Kind.NAME else ""
        if name and source[token.start - 1 : token.start] != ".":
            css = _JAVASCRIPT_AFTER.get(before) or _JAVASCRIPT_NAMES.get(name, "")
        before = name
        if css:
            yield token, css


def _css_of_name(source: str, start: int, name: str) -> str:
    before = source[start - 1 : start]
    if before == "@":
        return "nd"
    return "" if before == "." else _CLASSES_OF_NAMES.get(name, "")


# By the name of the language; each yields tokens in order, with their CSS class.
HIGHLIGHTERS: Mapping[str, Callable[[str], Iterator[tuple[Token, str]]]] = {
    "javascript": _highlight_javascript,
    "jinja": highlight_template,
    "json": _highlight_json,
    "python": _highlight_python,
}
