"""Endpoint of a function's graph."""

from django.http import HttpRequest
from ninja import Router
from pydantic import Field

from functions.api.problems import refusals
from functions.api.schemas import Answer, Flat, LinkShown, path
from functions.read_models import function_or_404
from functions.read_models.graph import GraphPage, graph_page

router = Router(tags=["functions"])


class GraphNodeShown(Flat, LinkShown):
    """A function some levels away."""

    parts = ("link",)

    elected_number: int | None = Field(description="of its current implementation")
    score: int | None = Field(description="of its current implementation")
    through: list[str] = Field(description="those of the level before that lead to it")
    circle: list[str] = Field(
        description="the functions elected together, itself among them; empty: it alone"
    )
    leads_back: bool = Field(description="it imports the function, and is imported by it")


class LevelShown(Answer):
    """Functions equally far away, by name: level 1 directly."""

    level: int = Field(validation_alias="number")
    functions: list[GraphNodeShown] = Field(validation_alias="nodes")
    left_out: int = Field(description="more of this level than the fifty that are named")


class SideShown(Answer):
    """All that was found in one direction."""

    levels: list[LevelShown]
    complete: bool = Field(
        validation_alias="is_all", description="false: there may be more than was looked for"
    )


class GraphShown(Answer):
    """A function among those that it depends on, and those that depend on it."""

    function: str = path("function", "name")
    imports: SideShown
    importers: SideShown


@router.get(
    "/{name}/graph/",
    response={200: GraphShown, **refusals(404)},
    summary="What it imports, and what imports it",
)
def read_graph(request: HttpRequest, name: str) -> GraphPage:  # noqa: ARG001 - everybody sees the same
    """Return what the function leads to both ways, at most eight levels of a thousand functions.

    A function leads to what its current implementation names; where none is, to what any published
    one does.
    """
    return graph_page(function_or_404(name))
