"""Endpoints of explanations, elections, revisions, and comparisons."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema, Status
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import ListQuery, RequestKey, read_nothing
from functions.api.history_schemas import (
    ElectionListShown,
    RecordsCompared,
    RevisionCompared,
    RevisionListShown,
    RevisionShown,
    WhyShown,
    WorksCompared,
)
from functions.api.problems import refusals
from functions.api.schemas import BatchStarted
from functions.authoring import restore_revision
from functions.errors import no_such
from functions.models import FunctionRevision, Implementation, Test
from functions.read_models import function_or_404
from functions.read_models.comparison import WorkComparison, compare_works
from functions.read_models.cursors import MAX_ID
from functions.read_models.elections import ElectionList, election_list
from functions.read_models.explanation import WhyPage, why_page
from functions.read_models.not_found import or_404
from functions.read_models.result import read_key
from functions.read_models.result_comparison import ResultComparison, compare_results
from functions.read_models.revisions import (
    RevisionComparison,
    RevisionList,
    RevisionRow,
    compare_revisions,
    revision_list,
)
from functions.runs import repeat_result
from runner.models import Batch

functions = Router(tags=["functions"])
implementations = Router(tags=["implementations"])
tests = Router(tags=["tests"])
results = Router(tags=["results"])


class HistoryQuery(ListQuery):
    """A page of a history."""


class Against(Schema):
    """The other side of a comparison."""

    against: int | None = Field(None, ge=1, le=MAX_ID, description="its id")


@functions.get(
    "/{name}/why/", response={200: WhyShown, **refusals(404)}, summary="Explain the election"
)
def read_why(request: HttpRequest, name: str) -> WhyPage:  # noqa: ARG001 - everybody sees the same
    """Return the candidates in order, the deciding rule, and why each of the others lost.

    Includes the last fifty elections that changed something; the list of elections has them all.
    """
    return why_page(function_or_404(name))


@functions.get(
    "/{name}/elections/",
    response={200: ElectionListShown, **refusals(400, 404)},
    summary="List a function's elections",
)
def list_elections(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    name: str,
    query: Query[HistoryQuery],
) -> ElectionList:
    """Return the elections that changed the current implementation, newest first."""
    return election_list(function_or_404(name), **query.model_dump())


@functions.get(
    "/{name}/revisions/",
    response={200: RevisionListShown, **refusals(400, 404)},
    summary="List a function's revisions",
)
def list_revisions(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    name: str,
    query: Query[HistoryQuery],
) -> RevisionList:
    """Return the definition's revisions, newest first."""
    return revision_list(function_or_404(name), **query.model_dump())


@functions.get(
    "/{name}/revisions/{int:id}/",
    response={200: RevisionCompared, **refusals(400, 404)},
    summary="Compare revisions",
)
def read_revision(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    name: str,
    id: int,
    query: Query[Against],
) -> RevisionComparison:
    """Return a revision and its difference from another, by default the previous one."""
    return compare_revisions(function_or_404(name), id, against=query.against)


@functions.post(
    "/{name}/revisions/{int:id}/restore/",
    auth=SOMEBODY,
    response={200: RevisionShown, **refusals(400, 401, 403, 404, 409, 429)},
    summary="Restore a revision",
)
def restore(request: HttpRequest, name: str, id: int) -> RevisionRow:
    """Restore a former definition as a new revision; owner and staff only."""
    read_nothing(request)
    function = function_or_404(name)
    revision = get_object_or_404(FunctionRevision, pk=id, function=function)
    restore_revision(actor=request.user, function=function, revision=revision)
    return revision_list(function, limit=1).rows[0]


def _add_difference(router: Router, model: type[Implementation | Test]) -> None:
    """Add the endpoint that compares works of one kind."""

    @router.get(
        "/{int:id}/diff/",
        response={200: WorksCompared, **refusals(400, 404)},
        operation_id=f"compare_{model.noun}s",
        summary="Compare a work with another",
    )
    def read_difference(request: HttpRequest, id: int, query: Query[Against]) -> WorkComparison:
        """Return the difference between two works of a function.

        By default the other is the work's origin, else the current one, else the previous one.
        """
        rows: Any = model.objects
        work = rows.filter(function__deleted_at=None, pk=id).first()
        if work is None:
            raise no_such(model.noun)
        return compare_works(work, request.user, against=query.against)


_add_difference(implementations, Implementation)
_add_difference(tests, Test)


@results.get(
    "/{key}/compare/{other}/",
    response={200: RecordsCompared, **refusals(404)},
    summary="Compare results",
)
def read_records(request: HttpRequest, key: str, other: str) -> ResultComparison:
    """Return the differences between the records of `other` and `key`."""
    return or_404(compare_results(key, other, request.user))


@results.post(
    "/{key}/run-again/",
    auth=SOMEBODY,
    response={202: BatchStarted, **refusals(400, 401, 403, 404, 409, 429)},
    operation_id="run_result_again",
    summary="Run a program again",
)
def run_result_again(request: HttpRequest, key: str, request_key: RequestKey) -> Status[Batch]:
    """Run the program again, ignoring its known result.

    Only for owners of its runs, authors of its works, the function's owner, and staff.
    """
    read_nothing(request)
    program = or_404(read_key(key))
    return Status(202, repeat_result(actor=request.user, key=program, request_key=request_key))
