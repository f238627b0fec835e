"""Sources of any size, made from Python's own grammar, as described by `ast`.

For each kind of statement, expression and pattern: one that repeats it, one for each of its lists
with many items, and one for each part that can be of the same sort, nested.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from runner.sandbox.language.compilation import check

_FIELD = re.compile(r"(\w+)([*?]?) (\w+)")
_SORTS: dict[str, type[ast.AST]] = {"stmt": ast.stmt, "expr": ast.expr, "pattern": ast.pattern}
_DEEPEST, _MANY = 16, 24
# Kinds that only occur within others, or in nested functions.
WITHIN_OTHERS = frozenset({"FormattedValue", "Interpolation", "Nonlocal"})
# Contexts of a text, simplest first; its lines are indented like the placeholder.
_PLACES = (
    "{}\n",
    "def f():\n    {}\n",
    "async def f():\n    {}\n",
    "for a in b:\n    {}\n",
    "[{}]\n",
    "a[{}]\n",
    "match a:\n    case {}: pass\n",
    "match a:\n    case [{}]: pass\n",
)


class Field(NamedTuple):
    """A field of a node: "*" is a list, "?" is optional."""

    sort: str
    times: str
    name: str


Make = Callable[[int], str]


def makers() -> Iterator[tuple[str, Make]]:
    """Yield (name, function that makes a source of about a size in characters)."""
    for sort, base in _SORTS.items():
        for kind in base.__subclasses__():
            yield from _makers_of(kind, sort)


def _makers_of(kind: type[ast.AST], sort: str) -> Iterator[tuple[str, Make]]:
    text = _written(kind)
    if (place := _place_of(text)) is None:
        return
    yield kind.__name__, _repeated(text, place)
    for field in _fields(kind):
        if field.times == "*":
            long = _listing(kind, field)
            found = _place_of(long(_MANY))
            if found is not None and long(_MANY) != long(2):
                yield f"{kind.__name__}.{field.name} many", _grown(long, found)
        if field.sort == sort:
            nest = _nest(kind, field)
            if nest:
                yield f"{kind.__name__}.{field.name} nested", _repeated(*nest)


def _repeated(text: str, place: str) -> Make:
    whole = _put(text, place)
    return lambda size: whole * max(1, size // len(whole))


def _grown(long: Callable[[int], str], place: str) -> Make:
    few, more = (len(_put(long(count), place)) for count in (_MANY, 2 * _MANY))
    each = max(1.0, (more - few) / _MANY)
    return lambda size: _put(long(max(_MANY, int((size - few) / each))), place)


def _listing(kind: type[ast.AST], field: Field) -> Callable[[int], str]:
    return lambda count: _written(kind, {field.name: count})


def _nest(kind: type[ast.AST], field: Field) -> tuple[str, str] | None:
    """Return a text nested as deeply as allowed, and its context; None if it can't be nested."""
    for depth in (_DEEPEST, _DEEPEST // 2, 2):
        node = _make(kind)
        for _ in range(depth):
            outer = _make(kind)
            setattr(outer, field.name, [node] if field.times == "*" else node)
            _mend(outer)
            node = outer
        text = _unparsed(node)
        if (place := _place_of(text)) is not None:
            return text, place
    return None


def _place_of(text: str) -> str | None:
    """Return the first context in which this is a program without complaints."""
    places = (each for each in _PLACES if not check(_put(text, each), name="F").complaints)
    return next(places, None)


def _put(text: str, place: str) -> str:
    before = place.partition("{}")[0].rpartition("\n")[2]
    indent = " " * (len(before) - len(before.lstrip()))
    return place.replace("{}", text.replace("\n", f"\n{indent}"))


# --- nodes ----------------------------------------------------------------------------------------


def _fields(kind: type[ast.AST]) -> list[Field]:
    """Return a node's fields, from the docstring of its class."""
    inside = (kind.__doc__ or "").partition("(")[2].rpartition(")")[0]
    return [Field(sort, times, name) for sort, times, name in _FIELD.findall(inside)]


_numbers = itertools.count()
_LEAVES: dict[str, Callable[[], Any]] = {
    "identifier": lambda: f"a{next(_numbers) % 100_000}",
    "int": lambda: 0,
    "string": lambda: None,
    "constant": lambda: 1,
    "expr": lambda: ast.Name("a", ast.Load()),
    "stmt": ast.Pass,
    "pattern": lambda: ast.MatchValue(ast.Constant(next(_numbers) % 100_000)),
    "expr_context": ast.Load,
    "operator": ast.Add,
    "boolop": ast.And,
    "unaryop": ast.Not,
    "cmpop": ast.Lt,
    "alias": lambda: ast.alias("math", None),
    "arg": lambda: ast.arg(f"a{next(_numbers) % 100_000}", None),
    "arguments": lambda: ast.arguments([], [], None, [], [], None, []),
    "excepthandler": lambda: ast.ExceptHandler(ast.Name("a", ast.Load()), None, [ast.Pass()]),
    "type_ignore": lambda: None,
}


def _leaf(sort: str) -> Any:
    if sort in _LEAVES:
        return _LEAVES[sort]()
    if sort == "type_param":
        return ast.TypeVar(f"a{next(_numbers) % 100_000}", None)  # type: ignore[attr-defined]
    return _make(getattr(ast, sort))


def _make(kind: type[ast.AST], counts: dict[str, int] | None = None) -> Any:
    """Return a small node of a kind; `counts` are the lengths of its lists."""
    values: dict[str, Any] = {}
    for sort, times, name in _fields(kind):
        if times == "*":
            # A bare `*` or `**` has no default, and type parameters need distinct names.
            few = 0 if sort in ("type_param", "type_ignore") else 1
            values[name] = [_leaf(sort) for _ in range((counts or {}).get(name, few))]
        else:
            is_left_out = times == "?" and sort in ("identifier", "string", "arg", "pattern")
            values[name] = None if is_left_out else _leaf(sort)
    node = kind(**values)
    _mend(node)
    return node


def _mend(node: Any) -> None:  # noqa: C901, PLR0912 - a table
    """Make a node's fields consistent with each other, in place."""
    match node:
        case ast.Compare():
            node.ops = [ast.Lt() for _ in node.comparators]
        case ast.Dict():
            count = max(len(node.keys), len(node.values))
            node.keys, node.values = _filled(node.keys, count), _filled(node.values, count)
        case ast.BoolOp():
            node.values = _filled(node.values, 2)
        case ast.MatchOr():
            node.patterns = _filled(node.patterns, 2, "pattern")
        case ast.MatchMapping():
            count = max(len(node.keys), len(node.patterns))
            node.keys = [ast.Constant(number) for number in range(count)]
            node.patterns = _filled(node.patterns, count, "pattern")
        case ast.MatchClass():
            count = max(len(node.kwd_attrs), len(node.kwd_patterns))
            node.kwd_attrs = [f"a{number}" for number in range(count)]
            node.kwd_patterns = _filled(node.kwd_patterns, count, "pattern")
        case ast.MatchAs():
            node.name = "a"
        case ast.MatchSingleton():
            node.value = None
        case ast.MatchStar():
            node.name = "a"
        case ast.ImportFrom():
            node.module = "math"
            node.names = [ast.alias("sin", None) for _ in node.names]
        case ast.AnnAssign():
            node.simple = 1
        case ast.JoinedStr():
            node.values = [ast.FormattedValue(value, -1, None) for value in node.values]
        case ast.comprehension():
            node.target = ast.Name("a", ast.Store())


def _filled(items: list[Any], count: int, sort: str = "expr") -> list[Any]:
    return [*items, *(_leaf(sort) for _ in range(count - len(items)))]


def _written(kind: type[ast.AST], counts: dict[str, int] | None = None) -> str:
    return _unparsed(_make(kind, counts))


def _unparsed(node: ast.AST) -> str:
    """Return the text of a node; an invalid one if it can't be written alone."""
    try:
        return ast.unparse(ast.fix_missing_locations(node))
    except (AttributeError, RecursionError, TypeError, ValueError):
        return "?"
