"""Functions and tests that are written in JavaScript."""

import re
from collections.abc import Collection, Sequence

from django.utils.translation import gettext as _

from functions.errors import Refusal
from functions.kinds.collection_reads import CollectionRead, find_reads
from functions.kinds.javascript_lexer import tokens
from functions.kinds.kind import Kind
from functions.kinds.python_uses import Use
from functions.source.lexer import Kind as LexicalKind
from functions.source.markers import Markers, change_name, find_markers
from runner.sandbox import as_module, is_javascript

_DECLARING = frozenset({"class", "const", "function", "let", "var"})
_STARS = re.compile(r"^\*+")
_LITERALS = {"None": "null", "True": "true", "False": "false", "...": "undefined"}
_PYTHON_WORDS = re.compile(r"\b(?:None|True|False)\b|\.\.\.")


class JavaScriptKind(Kind):
    """A function or a test in JavaScript; everything else is as for one in Python."""

    name, label, language = "function", "JavaScript", "javascript"

    def find_markers(self, code: str) -> Markers:
        """Return the names in comments and strings."""
        return find_markers(code, tokens)

    def find_uses(self, code: str, names: Collection[str]) -> Sequence[Use]:
        """Return where code reads these names, unless it declares the same."""
        found = [token for token in tokens(code) if token.kind is LexicalKind.NAME]
        words = [code[token.start : token.end] for token in found]
        pairs = zip(["", *words], words, strict=False)
        declared = {word for before, word in pairs if before in _DECLARING}
        return [
            Use(word, token.start, token.end)
            for word, token in zip(words, found, strict=True)
            if word in names and word not in declared and code[token.start - 1 : token.start] != "."
        ]

    def find_reads(self, code: str) -> Sequence[CollectionRead]:
        """Return what comments declare."""
        return find_reads(code, tokens)

    def recognises(self, source: str) -> bool:
        """True if this is the source of a module in JavaScript."""
        return is_javascript(source)

    def change_name(self, code: str, old: str, new: str) -> str:
        """Return the code with another name for a function."""
        return change_name(code, old, new, tokens)

    def format(self, code: str) -> str:  # noqa: ARG002
        """Refuse: there is no formatter."""
        message = _("There is no formatter for JavaScript.")
        raise Refusal("no_formatter", message, field="code")

    def generate_module(self, name: str, code: str) -> str:  # noqa: ARG002
        """Return the code with the mark of its language."""
        return as_module(code)

    def begin_implementation(self, name: str, *, parameters: str, docstring: str) -> str:
        """Return a definition without a body."""
        about = docstring.strip().strip('"')
        comment = f"// {about}\n" if about else ""
        given = ", ".join(filter(None, map(_parameter, _split(parameters))))
        return f"{comment}function {name}({given}) {{\n  return undefined;\n}}\n"

    def begin_test(self, name: str, *, arguments: str, returns: str) -> str:
        """Return a call whose result is compared."""
        given = _PYTHON_WORDS.sub(lambda word: _LITERALS[word[0]], arguments)
        expected = f"  // {returns}" if returns else ""
        call = f"  assert.equal({name}({given}), undefined);{expected}\n"
        return f"function test_one_case() {{\n{call}}}\n"


def _split(parameters: str) -> list[str]:
    """Return the parameters of a signature in Python; commas in brackets and texts are rare."""
    return [each.strip() for each in parameters.split(",")]


def _parameter(stated: str) -> str:
    """Return one parameter; empty if it has no counterpart."""
    name, _equals, default = (part.strip() for part in stated.partition("="))
    if name in ("*", "/", "") or name.startswith("**"):
        return ""
    name = _STARS.sub("...", name)
    if not name.removeprefix("...").isidentifier():
        return ""
    return f"{name} = {_LITERALS.get(default, default)}" if default else name
