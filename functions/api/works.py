"""Endpoints of implementations and tests."""

from typing import Any

from django.db.models import Q
from django.http import HttpRequest
from ninja import Router, Status

from functions.api.authentication import SOMEBODY
from functions.api.bodies import RequestKey, VoteCast, WorkChange, read_nothing
from functions.api.problems import refusals
from functions.api.schemas import BatchStarted, ImplementationShown, ScoreShown, TestShown
from functions.authoring import discard_draft, publish, run_draft, save_draft
from functions.errors import no_such
from functions.models import Implementation, Test, Work
from functions.read_models import ImplementationCard, TestCard, work_card
from functions.voting.votes import vote_on
from runner.models import Batch

AnyWork = Implementation | Test
# Published works go with a deleted function; drafts stay visible to their authors.
AT_HAND = Q(function__deleted_at=None) | Q(state=Work.State.DRAFT)


def work_router(
    model: type[Implementation | Test], shown: type[ImplementationShown | TestShown]
) -> Router:
    """Return the router of one kind of works; both kinds have the same endpoints."""
    router = Router(tags=[f"{model.noun}s"], auth=SOMEBODY)
    started = {202: BatchStarted, **refusals(400, 401, 403, 404, 409, 413, 422, 429)}

    def work_or_404(pk: int) -> AnyWork:
        rows: Any = model.objects.select_related("function", "author", "judge", "based_on__author")
        work: AnyWork | None = rows.filter(AT_HAND, pk=pk).first()
        if work is None:
            raise no_such(model.noun)
        return work

    @router.patch(
        "/{int:id}/",
        response={200: shown, **refusals(400, 401, 403, 404, 409, 413, 422, 429)},
        operation_id=f"change_{model.noun}",
        summary="Change a draft",
    )
    def change_draft(
        request: HttpRequest, id: int, payload: WorkChange
    ) -> ImplementationCard | TestCard:
        """Save new code or a new title, valid or not."""
        draft = save_draft(actor=request.user, draft=work_or_404(id), **payload.model_dump())
        return work_card(draft, request.user)

    @router.delete(
        "/{int:id}/",
        response={204: None, **refusals(401, 403, 404, 409, 429)},
        operation_id=f"discard_{model.noun}",
        summary="Discard a draft",
    )
    def discard(request: HttpRequest, id: int) -> Status[None]:
        """Delete a draft; this can't be undone."""
        discard_draft(actor=request.user, draft=work_or_404(id))
        return Status(204, None)

    @router.post(
        "/{int:id}/run/",
        response=started,
        operation_id=f"run_{model.noun}",
        summary="Run a draft",
    )
    def start_run(
        request: HttpRequest, id: int, key: RequestKey, only: int | None = None
    ) -> Status[Batch]:
        """Run a draft against published works, or `only` one; only its author sees the results."""
        read_nothing(request)
        draft = work_or_404(id)
        return Status(202, run_draft(actor=request.user, draft=draft, request_key=key, only=only))

    @router.post(
        "/{int:id}/publish/",
        response=started,
        operation_id=f"publish_{model.noun}",
        summary="Publish a draft",
    )
    def publish_draft(request: HttpRequest, id: int, key: RequestKey) -> Status[Batch]:
        """Publish a draft and run it; this can't be undone."""
        read_nothing(request)
        draft = work_or_404(id)
        return Status(202, publish(actor=request.user, draft=draft, request_key=key))

    @router.put(
        "/{int:id}/vote/",
        response={200: ScoreShown, **refusals(400, 401, 404, 409, 422, 429)},
        operation_id=f"vote_on_{model.noun}",
        summary="Vote",
    )
    def vote(request: HttpRequest, id: int, payload: VoteCast) -> ScoreShown:
        """Vote on somebody else's published work; a new vote replaces the old one, 0 removes it."""
        score = vote_on(actor=request.user, model=model, pk=id, value=payload.value)
        return ScoreShown(score=score)

    return router


implementations = work_router(Implementation, ImplementationShown)
tests = work_router(Test, TestShown)
