"""PURE: adds imports for the markers of a source, and leaves the rest unchanged."""

import ast
import io
import tokenize
from collections.abc import Sequence
from typing import NamedTuple

from functions.export.bundle import Piece, one_line, words_of
from functions.source.scopes import received_names, scope_of

_LONGEST_LINE = 88


class Provider(NamedTuple):
    """A function that code marks, and the module to import it from."""

    piece: Piece
    module: str


def import_lines(
    code: str, providers: Sequence[Provider], *, own: frozenset[str] = frozenset()
) -> dict[str, str]:
    """Return the import statement for each function that the code marks.

    Names in `own`, which the code defines, are not imported.
    """
    scopes = {provider.piece.name: scope_of(provider.piece.code) for provider in providers}
    names = received_names(scope_of(code), scopes.items(), words_of(code))
    lines = {}
    for provider in providers:
        name = provider.piece.name
        given = ["*"] if scopes[name].is_open else [each for each in names[name] if each not in own]
        if given:
            lines[name] = _statement(provider, given)
    return lines


def _statement(provider: Provider, given: list[str]) -> str:
    """Return the import, with a comment that credits the author."""
    credit = f"# <<{provider.piece.name}>>, by {one_line(provider.piece.author)}"
    line = f"from {provider.module} import {', '.join(given)}"
    if len(line) <= _LONGEST_LINE:
        return f"{line}  {credit}"
    listed = "".join(f"    {each},\n" for each in given)
    return f"from {provider.module} import (  {credit}\n{listed})"


def helpers_used(source: str) -> list[str]:
    """Return those of the helpers `check` and `log` that the module uses."""
    scope = scope_of(source)
    return [name for name in ("check", "log") if name in scope.used - scope.sure]


def with_imports(code: str, top: Sequence[str], bottom: Sequence[str]) -> str:
    """Return the code with imports below its docstring (`top`) and at its end (`bottom`)."""
    code = code.rstrip() + "\n"
    if top:
        before, after = split_at_imports(code)
        gap = "\n\n" if before else ""
        code = before.rstrip("\n") + gap + "\n".join(top) + "\n\n" + _below(after)
    if bottom:
        code += "\n\n" + "\n".join(bottom) + "\n"
    return code


def _below(after: str) -> str:
    """Prepend blank lines: two above a definition, else one."""
    after = after.lstrip("\n")
    code_lines = (line for line in after.split("\n") if not line.startswith("#"))
    is_definition = next(code_lines, "").startswith(("def ", "class ", "async def ", "@"))
    return f"\n{after}" if is_definition else after


def split_at_imports(code: str) -> tuple[str, str]:
    """Split the code where imports may be inserted: below a docstring and __future__ imports."""
    last: ast.stmt | None = None
    for place, statement in enumerate(ast.parse(code).body):
        if not (place == 0 and _is_docstring(statement)) and not is_future(statement):
            break
        last = statement
    if last is None or last.end_lineno is None or last.end_col_offset is None:
        return "", code
    lines = code.split("\n")
    row = lines[last.end_lineno - 1].encode()
    before, rest = row[: last.end_col_offset].decode(), row[last.end_col_offset :].decode()
    if rest.lstrip().startswith(";"):
        below = [rest.lstrip()[1:].lstrip(), *lines[last.end_lineno :]]
    else:
        before, below = before + rest, lines[last.end_lineno :]
    return "\n".join([*lines[: last.end_lineno - 1], before]), "\n".join(below)


def is_future(statement: ast.stmt) -> bool:
    """Return whether this is a `__future__` import, which must come first."""
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def indent(code: str) -> str:
    """Return the code indented by four spaces, except lines within multi-line strings."""
    within: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.STRING:
            within.update(range(token.start[0] + 1, token.end[0] + 1))
    return "\n".join(
        f"    {line}" if line.strip() and number not in within else line
        for number, line in enumerate(code.split("\n"), start=1)
    )
