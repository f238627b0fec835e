"""PURE: splits a module into top-level parts, with their comments and layout."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from functions.errors import Complaint, refuse_all
from functions.export.source_rewrite import is_future
from functions.source.scopes import bound_by, scope_of

_MOST_BLANKS = 2
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_BINDING = (*_FUNCTIONS, *_IMPORTS, ast.ClassDef, ast.Assign, ast.AnnAssign)


@dataclass(frozen=True, slots=True)
class Part:
    """Statements on the same lines, usually one, with the comment directly above."""

    statements: tuple[ast.stmt, ...]
    text: str
    line: int  # of the first statement, from 1
    blanks: int  # blank lines above it
    binds: frozenset[str]
    uses: frozenset[str]

    @property
    def function(self) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function definition, if the part is nothing else."""
        first = self.statements[0]
        return first if len(self.statements) == 1 and isinstance(first, _FUNCTIONS) else None

    @property
    def is_import(self) -> bool:
        return all(isinstance(one, _IMPORTS) and not is_future(one) for one in self.statements)

    @property
    def is_future(self) -> bool:
        return all(map(is_future, self.statements))

    @property
    def is_docstring(self) -> bool:
        first = self.statements[0]
        return (
            isinstance(first, ast.Expr)
            and isinstance(first.value, ast.Constant)
            and isinstance(first.value.value, str)
        )

    @property
    def is_effect(self) -> bool:
        """Whether it does more than binding names."""
        return any(
            not isinstance(one, _BINDING)
            or (isinstance(one, ast.Assign) and not all(map(_is_plain, one.targets)))
            for one in self.statements
        )

    @property
    def is_script_guard(self) -> bool:
        """Whether it only runs if the module is run as a script (`if __name__ == ...`)."""
        first = self.statements[0]
        return isinstance(first, ast.If) and "__name__" in scope_of(ast.unparse(first.test)).used


def read_parts(text: str, *, field: str) -> list[Part]:
    """Split a module at its top level. Raises Refusal if it isn't valid Python."""
    source = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    try:
        body = ast.parse(source).body
        scope_of(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        refuse_all([_syntax_complaint(error, field)])
    lines = source.split("\n")
    parts: list[Part] = []
    last_line = 0
    for statements in _sharing_lines(body):
        first = _first_line(statements[0])
        top = first
        while top - 2 >= last_line and lines[top - 2].startswith("#"):
            top -= 1
        above = top - 1
        while above > last_line and not lines[above - 1].strip():
            above -= 1
        last_line = max(one.end_lineno or first for one in statements)
        parts.append(
            make_part(
                statements,
                "\n".join(lines[top - 1 : last_line]).rstrip(),
                line=first,
                blanks=min(top - 1 - above, _MOST_BLANKS),
            )
        )
    return parts


def make_part(statements: Sequence[ast.stmt], text: str, *, line: int, blanks: int) -> Part:
    """Return a part with the names that it binds and uses."""
    scope = scope_of(text)
    binds = frozenset().union(*map(bound_by, statements)) | scope.bound
    return Part(tuple(statements), text, line, blanks, binds, scope.used)


def join_parts(head: str, parts: Iterable[Part]) -> str:
    """Return the text of these parts, in source order, below a header comment."""
    text = ""
    in_order = sorted(parts, key=lambda one: (not one.is_future, not one.is_import, one.line))
    for part in in_order:
        if not text:
            text = "\n".join(filter(None, [head, part.text]))
        else:
            text += "\n" * (part.blanks + 1) + part.text
    return f"{text}\n"


def _is_plain(target: ast.expr) -> bool:
    return isinstance(target, ast.Name | ast.Tuple)


def _sharing_lines(body: Iterable[ast.stmt]) -> list[list[ast.stmt]]:
    groups: list[list[ast.stmt]] = []
    for statement in body:
        if groups and _first_line(statement) <= (groups[-1][-1].end_lineno or 0):
            groups[-1].append(statement)
        else:
            groups.append([statement])
    return groups


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])


def _syntax_complaint(error: Exception, field: str) -> Complaint:
    if isinstance(error, SyntaxError) and error.lineno:
        message = f"Line {error.lineno}: {error.msg}."
        return Complaint(field, "syntax_error", message, error.lineno, error.offset)
    return Complaint(field, "syntax_error", f"This is not valid Python: {error}.")
