"""PURE: rewrites pytest's idioms into plain code where that is simple."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from functions.errors import Complaint
from functions.module_import.parts import Part, make_part

# Plain replacements of pytest's names that tests may use.
REPLACEMENTS = {
    "raises": '''class raises:
    """A block must raise this; afterwards `value` is what it raised."""

    def __init__(self, kinds, *, match=None):
        self.kinds, self.match = kinds, match

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        assert kind is not None, f"{self.kinds} was not raised"
        self.value = value
        if not issubclass(kind, self.kinds):
            return False
        assert self.match is None or re.search(self.match, str(value)), str(value)
        return True''',
    "approx": '''class approx:
    """Equal to numbers that differ by no more than rounding does; also within sequences."""

    def __init__(self, expected, rel=1e-6, abs=1e-12):
        self.expected, self.rel, self.abs = expected, rel, abs

    def __eq__(self, actual):
        if isinstance(self.expected, (list, tuple)):
            return len(actual) == len(self.expected) and all(
                approx(one, self.rel, self.abs) == other
                for one, other in zip(self.expected, actual)
            )
        return math.isclose(self.expected, actual, rel_tol=self.rel, abs_tol=self.abs)

    def __repr__(self):
        return f"approx({self.expected!r})"''',
}
_NEEDED = ("import math", "import re")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Functions that pytest calls by name.
CALLED_BY_NAME = frozenset(
    f"{verb}{what}"
    for verb in ("setup", "teardown")
    for what in ("", "_module", "_function", "_method", "_class")
)


@dataclass(frozen=True, slots=True)
class Fixture:
    """A function whose result tests request by parameter name."""

    name: str
    parameters: tuple[str, ...]


def without_prefixes(source: str, known: Mapping[str, frozenset[str]]) -> str:
    """Remove module prefixes of known names: `m.Add` becomes `Add`. Line numbers don't change."""
    lines = source.split("\n")
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for place in range(len(tokens) - 3, -1, -1):
        module, dot, name = tokens[place : place + 3]
        is_known = dot.string == "." and name.string in known.get(module.string, ())
        is_attribute = place > 0 and tokens[place - 1].string == "."
        if is_known and not is_attribute and module.start[0] == name.start[0]:
            row, begin, end = module.start[0] - 1, module.start[1], name.start[1]
            lines[row] = lines[row][:begin] + lines[row][end:]
    return "\n".join(lines)


def replacement_parts() -> list[Part]:
    """Return the parts that replace pytest's names, with their imports."""
    texts = (*_NEEDED, *REPLACEMENTS.values())
    # Line 0: above all code that uses them.
    return [make_part(ast.parse(text).body, text, line=0, blanks=2) for text in texts]


class PlainTests:
    """Rewrites the tests and fixtures of one module, and collects complaints."""

    def __init__(self, parts: list[Part], field: str) -> None:
        self._field = field
        self.complaints: list[Complaint] = []
        self._fixtures: dict[str, Fixture] = {}
        for part in parts:
            if part.function and (decorator := fixture_decorator(part.function)):
                self._add_fixture(part.function, decorator)
        self.parts = [self._plain(part) for part in parts]

    def _complain(self, node: ast.AST, message: str) -> None:
        line = getattr(node, "lineno", None)
        message = f"Line {line}: {message}"
        self.complaints.append(Complaint(self._field, "unknown_to_import", message, line))

    def _add_fixture(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef, decorator: ast.expr
    ) -> None:
        yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function))
        options = (
            {one.arg for one in decorator.keywords} if isinstance(decorator, ast.Call) else set()
        )
        if yields or isinstance(function, ast.AsyncFunctionDef):
            self._complain(function, f"the fixture {function.name} must return its value.")
        if options - {"scope"}:
            self._complain(
                decorator, f"the options of the fixture {function.name} are not supported here."
            )
        self._fixtures[function.name] = Fixture(function.name, _parameters(function))

    def _plain(self, part: Part) -> Part:
        function = part.function
        if function is None:
            for node in part.statements:
                self._check_nested_tests(node)
            return part
        if function.name in self._fixtures:
            return self._rewritten(part, _below_decorators(part, function))
        if not function.name.startswith("test_"):
            return part
        loops = [loop for one in function.decorator_list if (loop := self._loop(one))]
        given = {name for names, _ in loops for name in names}
        arguments = [
            f"{name}={name if name in given else self._call(name, function)}"
            for name in _parameters(function)
        ]
        text = _below_decorators(part, function)
        if not arguments:
            return self._rewritten(part, text)
        is_async = isinstance(function, ast.AsyncFunctionDef)
        plain = re.sub(rf"\bdef\s+{function.name}\b", f"def _{function.name}", text, count=1)
        rows = [f"{'async ' if is_async else ''}def {function.name}():"]
        for depth, (_, cases) in enumerate(loops, start=1):
            rows.append(f"{'    ' * depth}for {cases}:")
        call = f"{'await ' if is_async else ''}_{function.name}({', '.join(arguments)})"
        rows.append(f"{'    ' * (len(loops) + 1)}{call}")
        return self._rewritten(part, plain + "\n\n\n" + "\n".join(rows))

    def _check_nested_tests(self, node: ast.stmt) -> None:
        """Complain about tests that are not top-level functions."""
        inner = [one.name for one in ast.walk(node) if isinstance(one, _FUNCTIONS)]
        tests = [name for name in inner if name.startswith("test")]
        if isinstance(node, ast.ClassDef) and (tests or node.name.startswith("Test")):
            self._complain(node, f"{node.name} is a class; write its tests as functions.")
        elif tests:
            self._complain(
                node, f"{tests[0]} is within another statement; put it at the top level."
            )
        elif isinstance(node, ast.Assign) and "pytestmark" in map(ast.unparse, node.targets):
            self._complain(node, "pytestmark is not supported here.")

    def _rewritten(self, part: Part, text: str) -> Part:
        try:
            statements = ast.parse(text).body
        except SyntaxError:
            self._complain(part.statements[0], "this can't be rewritten without its decorators.")
            return part
        return make_part(statements, text, line=part.line, blanks=part.blanks)

    def _loop(self, decorator: ast.expr) -> tuple[list[str], str] | None:
        """Return the names of a parametrization, and the header of an equivalent loop."""
        text = ast.unparse(decorator)
        if not re.match(r"(pytest\.)?mark\.parametrize\(", text) or not isinstance(
            decorator, ast.Call
        ):
            self._complain(decorator, f"@{text.partition('(')[0]} is not supported here.")
            return None
        names = _names_in(decorator.args[0]) if len(decorator.args) == 2 else []
        options = {one.arg for one in decorator.keywords}
        if not names or options - {"ids"} or "pytest.param(" in text:
            self._complain(decorator, "this parametrization is too complex; write it as a loop.")
            return names, "_ in ()"
        # A single name in a list has one-element lists as cases; outside a list, plain values.
        is_listed = len(names) == 1 and not isinstance(decorator.args[0], ast.Constant)
        target = f"{names[0]}," if is_listed else ", ".join(names)
        return names, f"{target} in {ast.unparse(decorator.args[1])}"

    def _call(self, name: str, node: ast.AST, within: tuple[str, ...] = ()) -> str:
        fixture = self._fixtures.get(name)
        if fixture is None or name in within:
            self._complain(
                node, f"`{name}` is not a fixture of this module; pass the value itself."
            )
            return name
        arguments = [
            f"{one}={self._call(one, node, (*within, name))}" for one in fixture.parameters
        ]
        return f"{name}({', '.join(arguments)})"


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    """Return the names of parameters without a default."""
    listed = [*function.args.posonlyargs, *function.args.args]
    needed = listed[: len(listed) - len(function.args.defaults)]
    keywords = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    needed += [one for one, default in keywords if default is None]
    return tuple(one.arg for one in needed)


def fixture_decorator(function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.expr | None:
    """Return the decorator that makes a function a fixture, if it has one."""
    for decorator in function.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(target) in ("pytest.fixture", "fixture"):
            return decorator
    return None


def _below_decorators(part: Part, function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the part's text without its decorators."""
    if not function.decorator_list:
        return part.text
    lines = part.text.split("\n")
    comments = list(_leading_comments(lines))
    rows = (function.end_lineno or function.lineno) - function.lineno + 1
    return "\n".join([*comments, *lines[-rows:]])


def _leading_comments(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("#"):
            return
        yield line


def _names_in(node: ast.expr) -> list[str]:
    """Return the names of a parametrization: "a, b" or ("a", "b")."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",") if name.strip()]
    if isinstance(node, ast.List | ast.Tuple):
        found = [one.value for one in node.elts if isinstance(one, ast.Constant)]
        return [name for name in found if isinstance(name, str)]
    return []
