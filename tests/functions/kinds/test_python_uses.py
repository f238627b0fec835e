"""Uses of names in code, told by tokens: none is wrong, and in ordinary code none is missed.

What Python's own parser says is the measure.
"""

import ast
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.kinds.python_uses import find_uses

SAMPLES = Path(__file__).parents[3] / "functions/samples/library"
STANDARD = Path(sysconfig.get_path("stdlib"))
FILES = [
    *sorted(SAMPLES.rglob("*.py")),
    *(STANDARD / f"{name}.py" for name in ("heapq", "textwrap", "statistics", "dataclasses")),
]


class Oracle(ast.NodeVisitor):
    """Finds the uses of names, and what binds them other than as a parameter or a method."""

    def __init__(self, tree: ast.AST) -> None:
        self.uses: list[tuple[str, int, int]] = []
        self.bound: set[str] = set()
        self._hidden: list[set[str]] = []
        self._in_class = False
        self.visit(tree)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.bound.add(node.id)
        elif not any(node.id in hidden for hidden in self._hidden):
            self.uses.append((node.id, node.lineno, node.col_offset))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if not self._in_class:
            self.bound.add(node.name)
        arguments = node.args
        outside = [
            *node.decorator_list,
            *filter(None, [*arguments.defaults, *arguments.kw_defaults]),
            *(each.annotation for each in _parameters(arguments) if each.annotation),
        ]
        for each in outside:
            self.visit(each)
        self._hidden.append({each.arg for each in _parameters(arguments)})
        for part in [*([node.returns] if node.returns else []), *node.body]:
            self._visit_in(part, in_class=False)
        self._hidden.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if not self._in_class:
            self.bound.add(node.name)
        for each in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(each)
        for part in node.body:
            self._visit_in(part, in_class=True)

    def _visit_in(self, node: ast.AST, *, in_class: bool) -> None:
        former, self._in_class = self._in_class, in_class
        self.visit(node)
        self._in_class = former

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.bound.update(each.arg for each in _parameters(node.args))
        self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> None:
        self.bound.update({node.asname, node.name.partition(".")[0], node.name} - {None})  # type: ignore[arg-type]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.bound.update((node.module or "").split("."))
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        self.bound.update(node.names)

    visit_Nonlocal = visit_Global

    def visit_ExceptHandler(self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar) -> None:
        self.bound.update({node.name} - {None})  # type: ignore[arg-type]
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = visit_ExceptHandler


def _parameters(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from filter(None, [arguments.vararg, arguments.kwarg])


def told(source: str, names: set[str]) -> set[tuple[str, int, int]]:
    """Return the uses by line and column in bytes, as the parser counts."""
    found = set()
    for use in find_uses(source, names):
        assert source[use.start : use.end] == use.name
        line = source.rfind("\n", 0, use.start) + 1
        column = len(source[line : use.start].encode())
        found.add((use.name, source.count("\n", 0, use.start) + 1, column))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-2:]))
def test_the_uses_of_all_names_are_those_of_the_parser(path: Path) -> None:
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    oracle = Oracle(tree)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.keyword) and node.arg:
            names.add(node.arg)
    expected = {use for use in oracle.uses if use[0] not in oracle.bound}
    assert told(source, names) == expected


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("Add(1)", 1),
        ("x = [Add, Add]\n# Add\n'Add'\nx.Add\nx . Add\n", 2),
        ('f"{Add(1)} Add {Add:>{Add}}"', 3),
        ("f(Add=1, a=Add)", 1),
        ("def f(Add): return Add(1)\n\n\ndef g(): return Add(1)\n", 1),
        ("def f(\n    a,  # Add\n    *Add,\n    b=2,\n) -> int:\n    return Add\n", 0),
        ("def f(a: Add = Add(1)) -> Add: return a", 3),
        ("class A:\n    def Add(self): return Add(1)\n", 1),
        ("def outer(Add):\n    def inner():\n        return Add\n    return inner\nAdd", 1),
        ("def Add(): ...\nAdd()", 0),
        ("import Add\nAdd()", 0),
        ("from m import (\n    a,\n    Add,\n)\nAdd()", 0),
        ("with x as Add: Add()", 0),
        ("a, Add = 1, 2\nAdd()", 0),
        ("(a, Add) = 1, 2\nAdd()", 0),
        ("x: Add = Add()", 2),
        ("memo[Add(1)] = Add(2)", 2),
        ("if (Add := 1): Add", 0),
        ("if Add == 1: x = Add", 2),
        ("[Add for Add in x]", 0),
        ("[Add(x) for x in Add(1) if x in Add]", 3),
        ("lambda Add, b=1: Add", 0),
        ("sorted(x, key=lambda a: Add(a))", 1),
        ("global Add\nAdd()", 0),
        ("...\nAdd", 1),
        ("x = \\\n  Add", 1),
        ("Add = ", 0),
        ("def f(Add", 0),
        ("Add Add )]( Add", 3),
        ("match x:\n    case Add(a): ...\n", 1),
    ],
)
def test_a_name_is_used_where_it_is_not_something_else(source: str, count: int) -> None:
    assert len(find_uses(source, {"Add"})) == count


@given(st.text(alphabet="Ad()[]{}:=,.#'\"\\\n *;@f lambdeforinsc"))
def test_whatever_is_written_has_uses_only_where_the_name_stands(source: str) -> None:
    uses = find_uses(source, {"A", "d"})
    assert all(source[use.start : use.end] == use.name for use in uses)
    assert uses == sorted(uses, key=lambda use: use.start)


def test_without_names_nothing_is_read() -> None:
    assert find_uses("Add(1)", set()) == []
