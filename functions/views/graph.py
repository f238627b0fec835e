"""The graph of a function's dependencies and dependents, drawn in columns."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from functions.models import Function
from functions.read_models.function import function_or_404
from functions.read_models.graph import GraphNode, Level, Side, graph_page
from functions.views.markup import dot_status

ROW_PX = 26


@dataclass(frozen=True, slots=True)
class Column:
    """A level, with the curves to it from the previous level."""

    level: Level
    curves: SafeString
    leading: frozenset[str]  # names that lead to the next level


@require_safe
def show_graph(request: HttpRequest, name: str) -> HttpResponse:
    """Show the graph of a function."""
    function = function_or_404(name)
    if function.name != name:
        return redirect("graph", function.name)
    try:
        page = graph_page(function)
    except Function.DoesNotExist as gone:
        raise Http404(_("The function was just deleted.")) from gone
    context = {
        "function": page.function,
        "page": page,
        "positions": page.positions,
        "imports": list(_columns(page.imports, function.name)),
        "importers": list(_columns(page.importers, function.name)),
    }
    return render(request, "functions/graph.html", context)


def _columns(side: Side, name: str) -> Iterator[Column]:
    rows = {name: 0}
    for level, onwards in zip_longest(side.levels, side.levels[1:]):
        leading = {near for node in onwards.nodes for near in node.through} if onwards else ()
        yield Column(level, _curves(level, rows), frozenset(leading))
        rows = {node.link.name: row for row, node in enumerate(level.nodes)}


def _curves(level: Level, before: Mapping[str, int]) -> SafeString:
    """Return the curves from the shown rows of the previous level."""
    paths = [
        _curve(before[near], row, node)
        for row, node in enumerate(level.nodes)
        for near in node.through
        if near in before
    ]
    height = ROW_PX * max(len(before), len(level.nodes))
    return format_html(
        '<svg viewBox="0 0 100 {}" height="{}" preserveAspectRatio="none" aria-hidden="true">'
        "{}</svg>",
        height, height, SafeString("".join(paths)),
    )  # fmt: skip


def _curve(near: int, far: int, node: GraphNode) -> str:
    left, right = (ROW_PX * row + ROW_PX // 2 for row in (near, far))
    status = dot_status(node.link.status)
    return format_html(
        '<path data-status="{}" d="M0 {}C50 {} 50 {} 100 {}"/>', status, left, left, right, right
    )
