"""Endpoints that start and read previews."""

from typing import Any, Literal

from django.db.models import Q
from django.http import Http404, HttpRequest
from ninja import Router, Schema, Status

from functions.api.authentication import SOMEBODY
from functions.api.bodies import RequestKey, read_nothing
from functions.api.preview_schemas import (
    PreviewedAcceptance,
    PreviewedEffect,
    PreviewShown,
    PreviewStarted,
)
from functions.api.problems import refusals
from functions.errors import no_such
from functions.models import Implementation, Preview, Test, Work
from functions.previews import (
    preview_deletion,
    preview_judgement,
    preview_publishing,
    preview_withdrawal,
)
from functions.read_models.function import function_named
from functions.read_models.preview import AcceptanceRow, EffectRow, PreviewPage, preview_page
from runner.registry import Actor

AnyWork = Implementation | Test
STARTED = {202: PreviewStarted, **refusals(400, 401, 403, 404, 409, 413, 422, 429)}

router = Router(tags=["previews"])
asking = Router(tags=["previews"], auth=SOMEBODY)


class PreviewWanted(Schema):
    """The change whose effects are to be tried."""

    change: Literal["publish", "withdraw", "accept", "reject", "clear"]


@router.get(
    "/{int:id}/", response={200: PreviewShown, **refusals(404)}, summary="Look at a preview"
)
def read_preview(request: HttpRequest, id: int) -> PreviewShown:
    """Return what would become of whom, as far as it is known; for who has asked for it."""
    page = preview_page(id, request.user)
    if page is None:
        raise Http404
    return _shown(page)


@asking.post(
    "/implementations/{int:id}/preview/",
    response=STARTED,
    summary="Preview a change of an implementation",
)
def preview_implementation(
    request: HttpRequest, id: int, payload: PreviewWanted, key: RequestKey
) -> Status[PreviewStarted]:
    """Try on its dependents what this change would do, without making it."""
    work = _work_or_404(Implementation, id)
    return _started(_preview_work(request.user, work, payload.change, key))


@asking.post("/tests/{int:id}/preview/", response=STARTED, summary="Preview a change of a test")
def preview_test(
    request: HttpRequest, id: int, payload: PreviewWanted, key: RequestKey
) -> Status[PreviewStarted]:
    """Try what this change would do: to its function's election, and to the dependents."""
    return _started(_preview_work(request.user, _work_or_404(Test, id), payload.change, key))


@asking.post(
    "/functions/{name}/preview/", response=STARTED, summary="Preview the deletion of a function"
)
def preview_function(request: HttpRequest, name: str, key: RequestKey) -> Status[PreviewStarted]:
    """Tell what would be blocked if the function were deleted, without deleting it."""
    read_nothing(request)
    function = function_named(name)
    if function is None:
        raise Http404
    return _started(preview_deletion(actor=request.user, function=function, request_key=key))


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


def _started(preview: Preview) -> Status[PreviewStarted]:
    return Status(202, PreviewStarted(preview=preview.pk, batch=preview.batch_id or 0))


def _shown(page: PreviewPage) -> PreviewShown:
    preview, progress = page.preview, page.run.progress
    return PreviewShown(
        id=preview.pk,
        batch=progress.id,
        state=progress.state,
        change=preview.change,
        function=preview.function.name,
        implementation=preview.implementation_id,
        test=preview.test_id,
        created_at=preview.created_at,
        total=progress.total,
        finished=progress.finished,
        left_out=page.left_out,
        ahead=page.ahead,
        own=_effect(page.own) if page.own else None,
        complaint=page.complaint,
        circle=preview.circle,
        acceptance=[_acceptance(row) for row in page.acceptance],
        effects=[_effect(effect) for effect in page.effects],
        topic=page.run.topic,
        epoch=page.run.position.epoch,
        seq=page.run.position.seq,
    )


def _effect(row: EffectRow) -> PreviewedEffect:
    return PreviewedEffect(
        function=row.function,
        fate=row.outcome.value,
        current=row.current,
        after=row.after,
        elected=row.after_id,
        reason=row.reason,
        left_out=row.left_out,
    )


def _acceptance(row: AcceptanceRow) -> PreviewedAcceptance:
    return PreviewedAcceptance(
        id=row.id,
        function=row.function,
        title=row.title,
        before=row.before,
        verdict=row.verdict,
        message=row.message,
    )
