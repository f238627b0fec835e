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
    """A function in the graph."""

    parts = ("link",)

    elected_number: int | None = Field(description="number of its current implementation")
    score: int | None = Field(description="score of its current implementation")
    through: list[str] = Field(description="functions of the previous level that lead to it")
    circle: list[str] = Field(
        description="the functions elected together, including itself; empty if only itself"
    )
    leads_back: bool = Field(description="it both imports the function and is imported by it")


class LevelShown(Answer):
    """Functions at one distance, by name; level 1 is direct."""

    level: int = Field(validation_alias="number")
    functions: list[GraphNodeShown] = Field(validation_alias="nodes")
    left_out: int = Field(description="number of further functions; fifty are listed")


class SideShown(Answer):
    """The levels in one direction."""

    levels: list[LevelShown]
    complete: bool = Field(
        validation_alias="is_all", description="false: the search stopped at a limit"
    )


class GraphShown(Answer):
    """A function with its dependencies and dependents."""

    function: str = path("function", "name")
    imports: SideShown
    importers: SideShown


@router.get(
    "/{name}/graph/",
    response={200: GraphShown, **refusals(404)},
    summary="Read a function's dependency graph",
)
def read_graph(request: HttpRequest, name: str) -> GraphPage:  # noqa: ARG001 - everybody sees the same
    """Return dependencies and dependents, at most eight levels and a thousand functions each.

    A function's dependencies are those of its current implementation; if it has none, those of all
    published implementations.
    """
    return graph_page(function_or_404(name))
