"""Endpoints of explanations, elections, revisions, and comparisons."""

from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema, Status
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import RequestKey, Text, read_nothing
from functions.api.history_schemas import (
    ElectionListShown,
    RecordsCompared,
    RevisionCompared,
    RevisionListShown,
    RevisionShown,
    WhyShown,
    WorksCompared,
)
from functions.api.history_serializers import (
    election_shown,
    records_compared,
    revision_compared,
    revision_shown,
    why_shown,
    works_compared,
)
from functions.api.problems import refusals
from functions.api.schemas import BatchStarted
from functions.authoring import restore_revision
from functions.errors import no_such
from functions.models import Function, FunctionRevision, Implementation, Test
from functions.read_models import function_named
from functions.read_models.comparison import compare_works
from functions.read_models.cursors import MAX_ID
from functions.read_models.elections import election_list
from functions.read_models.explanation import why_page
from functions.read_models.result import read_key
from functions.read_models.result_comparison import compare_results
from functions.read_models.revisions import compare_revisions, revision_list
from functions.runs import repeat_result

MAX_LISTED = 100

functions = Router(tags=["functions"])
implementations = Router(tags=["implementations"])
tests = Router(tags=["tests"])
results = Router(tags=["results"])


class HistoryQuery(Schema):
    """Which part of a history to list."""

    cursor: Text = Field("", description="`next` of the page before")
    limit: int = Field(50, ge=1, description="at most 100 are given")


class Against(Schema):
    """What to compare with."""

    against: int | None = Field(None, ge=1, le=MAX_ID, description="its id")


@functions.get(
    "/{name}/why/", response={200: WhyShown, **refusals(404)}, summary="Why is this current?"
)
def read_why(request: HttpRequest, name: str) -> WhyShown:  # noqa: ARG001 - everybody sees the same
    """Return all candidates in order, what decided, why each other was not chosen, and since when.

    The last fifty elections that changed something are there; older ones are listed by themselves.
    """
    return why_shown(why_page(_function_or_404(name)))


@functions.get(
    "/{name}/elections/",
    response={200: ElectionListShown, **refusals(400, 404)},
    summary="List a function's elections",
)
def list_elections(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    name: str,
    wanted: Query[HistoryQuery],
) -> ElectionListShown:
    """Return the elections that changed the current implementation, the newest first."""
    function = _function_or_404(name)
    page = election_list(function, cursor=wanted.cursor, limit=min(wanted.limit, MAX_LISTED))
    return ElectionListShown(
        items=[election_shown(row) for row in page.rows], next=page.next or None
    )


@functions.get(
    "/{name}/revisions/",
    response={200: RevisionListShown, **refusals(400, 404)},
    summary="List a function's revisions",
)
def list_revisions(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    name: str,
    wanted: Query[HistoryQuery],
) -> RevisionListShown:
    """Return what the definition has said, the newest first."""
    function = _function_or_404(name)
    page = revision_list(function, cursor=wanted.cursor, limit=min(wanted.limit, MAX_LISTED))
    return RevisionListShown(
        items=[revision_shown(row) for row in page.rows], next=page.next or None
    )


@functions.get(
    "/{name}/revisions/{int:id}/",
    response={200: RevisionCompared, **refusals(400, 404)},
    summary="Compare revisions",
)
def read_revision(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    name: str,
    id: int,
    wanted: Query[Against],
) -> RevisionCompared:
    """Return a revision, and how it differs from another: the one before it if none is named."""
    return revision_compared(compare_revisions(_function_or_404(name), id, against=wanted.against))


@functions.post(
    "/{name}/revisions/{int:id}/restore/",
    auth=SOMEBODY,
    response={200: RevisionShown, **refusals(400, 401, 403, 404, 409, 429)},
    summary="Restore a revision",
)
def restore(request: HttpRequest, name: str, id: int) -> RevisionShown:
    """Have the definition say again what it said, as a new revision; for the owner, and staff."""
    read_nothing(request)
    function = _function_or_404(name)
    revision = get_object_or_404(FunctionRevision, pk=id, function=function)
    restore_revision(actor=request.user, function=function, revision=revision)
    return revision_shown(revision_list(function, limit=1).rows[0])


def _add_difference(router: Router, model: type[Implementation | Test]) -> None:
    """Add the comparison for both kinds of works."""

    @router.get(
        "/{int:id}/diff/",
        response={200: WorksCompared, **refusals(400, 404)},
        operation_id=f"compare_{model.noun}s",
        summary="Compare with another",
    )
    def read_difference(request: HttpRequest, id: int, wanted: Query[Against]) -> WorksCompared:
        """Return how a work differs from another of its function.

        If none is named that is its origin, else the current one, else the last before it.
        """
        rows: Any = model.objects
        work = rows.filter(function__deleted_at=None, pk=id).first()
        if work is None:
            raise no_such(model.noun)
        return works_compared(compare_works(work, request.user, against=wanted.against))


_add_difference(implementations, Implementation)
_add_difference(tests, Test)


@results.get(
    "/{key}/compare/{other}/",
    response={200: RecordsCompared, **refusals(404)},
    summary="Compare results",
)
def read_records(request: HttpRequest, key: str, other: str) -> RecordsCompared:
    """Return how the record of `other` differs from that of `key`."""
    page = compare_results(key, other, request.user)
    if page is None:
        raise Http404
    return records_compared(page)


@results.post(
    "/{key}/run-again/",
    auth=SOMEBODY,
    response={202: BatchStarted, **refusals(400, 401, 403, 404, 409, 429)},
    operation_id="run_result_again",
    summary="Run one program again",
)
def run_result_again(
    request: HttpRequest, key: str, request_key: RequestKey
) -> Status[BatchStarted]:
    """Run the program once more, past its result.

    That is for whoever asked for it, for the authors of its works, the function's owner, and staff.
    """
    read_nothing(request)
    program = read_key(key)
    if program is None:
        raise Http404
    batch = repeat_result(actor=request.user, key=program, request_key=request_key)
    return Status(202, BatchStarted(batch=batch.pk))


def _function_or_404(name: str) -> Function:
    function = function_named(name)
    if function is None:
        raise Http404
    return function
