"""Endpoints that start and read previews."""

from typing import Any, Literal

from django.db.models import Q
from django.http import HttpRequest
from ninja import Router, Schema, Status

from functions.api.authentication import SOMEBODY
from functions.api.bodies import RequestKey, read_nothing
from functions.api.preview_schemas import PreviewShown, PreviewStarted
from functions.api.problems import refusals
from functions.errors import no_such
from functions.models import Implementation, Preview, Test, Work
from functions.previews import (
    preview_deletion,
    preview_judgement,
    preview_publishing,
    preview_withdrawal,
)
from functions.previews.notices import tell_projects
from functions.read_models.function import function_or_404
from functions.read_models.not_found import or_404
from functions.read_models.preview import PreviewPage, preview_page
from runner.registry import Actor

AnyWork = Implementation | Test
STARTED = {202: PreviewStarted, **refusals(400, 401, 403, 404, 409, 413, 422, 429)}

router = Router(tags=["previews"])
asking = Router(tags=["previews"], auth=SOMEBODY)


class PreviewWanted(Schema):
    """The change to preview."""

    change: Literal["publish", "withdraw", "accept", "reject", "clear"]


@router.get("/{int:id}/", response={200: PreviewShown, **refusals(404)}, summary="Read a preview")
def read_preview(request: HttpRequest, id: int) -> PreviewPage:
    """Return the effects known so far; only for the user who started the preview."""
    return or_404(preview_page(id, request.user))


@router.post(
    "/{int:id}/tell/",
    auth=SOMEBODY,
    response={200: PreviewShown, **refusals(400, 401, 404, 409, 413, 429)},
    summary="Tell registered projects of a preview",
)
def tell_of_preview(request: HttpRequest, id: int) -> PreviewPage:
    """Tell the projects that have locked what the change reaches what differs, once.

    Your name and your code aren't told. The preview must have ended.
    """
    read_nothing(request)
    preview = or_404(preview_page(id, request.user)).preview
    tell_projects(actor=request.user, preview=preview)
    return or_404(preview_page(id, request.user))


@asking.post(
    "/implementations/{int:id}/preview/",
    response=STARTED,
    summary="Preview a change of an implementation",
)
def preview_implementation(
    request: HttpRequest, id: int, payload: PreviewWanted, key: RequestKey
) -> Status[Preview]:
    """Try a change on the function and its dependents, without making it."""
    work = _work_or_404(Implementation, id)
    return Status(202, _preview_work(request.user, work, payload.change, key))


@asking.post("/tests/{int:id}/preview/", response=STARTED, summary="Preview a change of a test")
def preview_test(
    request: HttpRequest, id: int, payload: PreviewWanted, key: RequestKey
) -> Status[Preview]:
    """Try a change on the function's election and its dependents, without making it."""
    return Status(202, _preview_work(request.user, _work_or_404(Test, id), payload.change, key))


@asking.post(
    "/functions/{name}/preview/", response=STARTED, summary="Preview the deletion of a function"
)
def preview_function(request: HttpRequest, name: str, key: RequestKey) -> Status[Preview]:
    """Find what the function's deletion would block, without deleting it."""
    read_nothing(request)
    function = function_or_404(name)
    return Status(202, preview_deletion(actor=request.user, function=function, request_key=key))


def _preview_work(actor: Actor, work: AnyWork, change: str, key: str) -> Preview:
    if change == Preview.Change.PUBLISH:
        return preview_publishing(actor=actor, draft=work, request_key=key)
    if change == Preview.Change.WITHDRAW:
        return preview_withdrawal(actor=actor, work=work, request_key=key)
    return preview_judgement(actor=actor, work=work, change=change, request_key=key)


def _work_or_404(model: Any, pk: int) -> AnyWork:
    at_hand = Q(function__deleted_at=None) | Q(state=Work.State.DRAFT)
    work: AnyWork | None = model.objects.select_related("function").filter(at_hand, pk=pk).first()
    if work is None:
        raise no_such(model.noun)
    return work
