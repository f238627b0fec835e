"""Endpoint of a function's graph."""

from django.http import Http404, HttpRequest
from ninja import Router, Schema
from pydantic import Field

from functions.api.problems import refusals
from functions.api.schemas import LinkShown
from functions.read_models import function_named
from functions.read_models.graph import Side, graph_page

router = Router(tags=["functions"])


class GraphNodeShown(LinkShown):
    """A function some levels away."""

    elected_number: int | None = Field(description="of its current implementation")
    score: int | None = Field(description="of its current implementation")
    through: list[str] = Field(description="those of the level before that lead to it")
    circle: list[str] = Field(
        description="the functions elected together, itself among them; empty: it alone"
    )
    leads_back: bool = Field(description="it imports the function, and is imported by it")


class LevelShown(Schema):
    """Functions equally far away, by name: level 1 directly."""

    level: int
    functions: list[GraphNodeShown]
    left_out: int = Field(description="more of this level than the fifty that are named")


class SideShown(Schema):
    """All that was found in one direction."""

    levels: list[LevelShown]
    complete: bool = Field(description="false: there may be more than was looked for")


class GraphShown(Schema):
    """A function among those that it depends on, and those that depend on it."""

    function: str
    imports: SideShown
    importers: SideShown


@router.get(
    "/{name}/graph/",
    response={200: GraphShown, **refusals(404)},
    summary="What it imports, and what imports it",
)
def read_graph(request: HttpRequest, name: str) -> GraphShown:  # noqa: ARG001 - everybody sees the same
    """Return what the function leads to both ways, at most eight levels of a thousand functions.

    A function leads to what its current implementation names; where none is, to what any published
    one does.
    """
    function = function_named(name)
    if function is None:
        raise Http404
    page = graph_page(function)
    return GraphShown(
        function=function.name, imports=_side(page.imports), importers=_side(page.importers)
    )


def _side(side: Side) -> SideShown:
    levels = [
        LevelShown(
            level=level.number,
            functions=[
                GraphNodeShown(
                    name=node.link.name,
                    status=node.link.status,
                    elected_number=node.link.elected_number,
                    score=node.link.score,
                    through=list(node.through),
                    circle=list(node.link.circle),
                    leads_back=node.leads_back,
                )
                for node in level.nodes
            ],
            left_out=level.left_out,
        )
        for level in side.levels
    ]
    return SideShown(levels=levels, complete=side.is_all)
