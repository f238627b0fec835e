"""Endpoints of implementations and tests."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Status

from functions.api.authentication import SOMEBODY
from functions.api.bodies import RequestKey, VoteCast, WorkChange, WorkReplacement, read_nothing
from functions.api.preconditions import (
    content_of,
    etag_of,
    etag_of_content,
    expected_parts,
    tagged,
)
from functions.api.problems import refusals
from functions.api.schemas import (
    Attributes,
    BatchStarted,
    ImplementationShown,
    ScoreShown,
    TestShown,
    with_problems,
)
from functions.authoring import discard_draft, publish, run_draft, save_draft
from functions.errors import no_such
from functions.models import Implementation, Test, Work
from functions.read_models import WorkCard, work_card, work_of_id
from functions.read_models.work_lists import AT_HAND
from functions.voting.cast import VoteResult
from functions.voting.votes import vote_on
from runner.models import Batch

AnyWork = Implementation | Test


def work_router(
    model: type[Implementation | Test], shown: type[ImplementationShown | TestShown]
) -> Router:
    """Return the router of one kind of works; both kinds have the same endpoints."""
    router = Router(tags=[f"{model.noun}s"], auth=SOMEBODY)
    _add_reading_and_saving(router, model, shown)
    _add_acts(router, model)
    return router


def work_or_404(model: type[Any], pk: int) -> AnyWork:
    """Return a work that is at hand, perhaps somebody else's draft. Raises NotFound."""
    rows: Any = model.objects.select_related("function", "author", "judge", "based_on__author")
    work: AnyWork | None = rows.filter(AT_HAND, pk=pk).first()
    if work is None:
        raise no_such(model.noun)
    return work


def _add_reading_and_saving(
    router: Router,
    model: type[Implementation | Test],
    shown: type[ImplementationShown | TestShown],
) -> None:
    saved = {200: shown, **refusals(400, 401, 403, 404, 409, 412, 413, 422, 429)}

    @router.get(
        "/{int:id}/",
        auth=None,
        response={200: shown, **refusals(404)},
        operation_id=f"read_{model.noun}",
        summary=f"Read {'an' if model is Implementation else 'a'} {model.noun}",
    )
    def read_work(request: HttpRequest, response: HttpResponse, id: int) -> Any:
        """Return a work with its ETag; a draft only to its author."""
        work = work_of_id(model, id, request.user)
        if work is None:
            raise no_such(model.noun)
        return as_shown(request, response, work)

    def as_shown(request: HttpRequest, response: HttpResponse, work: WorkCard | Attributes) -> Any:
        answer = shown.model_validate(work)
        if work.state == Work.State.DRAFT:
            return tagged(request, response, answer, etag_of(work.id, work.version))
        return tagged(request, response, answer, etag_of_content(content_of(answer)))

    def save(request: HttpRequest, response: HttpResponse, id: int, change: dict[str, Any]) -> Any:
        draft = work_or_404(model, id)
        expected = expected_parts(request, id)
        saved = save_draft(actor=request.user, draft=draft, expected=expected, **change)
        card = work_card(saved, request.user)
        has_code = change.get("code") is not None
        return as_shown(request, response, with_problems(card, saved) if has_code else card)

    @router.patch(
        "/{int:id}/",
        response=saved,
        operation_id=f"change_{model.noun}",
        summary="Change a draft",
    )
    def change_draft(
        request: HttpRequest, response: HttpResponse, id: int, payload: WorkChange
    ) -> Any:
        """Save new code or a new title, valid or not; `problems` says what is wrong with it."""
        return save(request, response, id, payload.model_dump())

    @router.put(
        "/{int:id}/",
        response=saved,
        operation_id=f"replace_{model.noun}",
        summary="Replace a draft",
    )
    def replace_draft(
        request: HttpRequest, response: HttpResponse, id: int, payload: WorkReplacement
    ) -> Any:
        """Save new code with its title, valid or not; without a title, it has none."""
        return save(request, response, id, payload.model_dump())

    @router.delete(
        "/{int:id}/",
        response={204: None, **refusals(401, 403, 404, 409, 412, 429)},
        operation_id=f"discard_{model.noun}",
        summary="Discard a draft",
    )
    def discard(request: HttpRequest, id: int) -> Status[None]:
        """Delete a draft; this can't be undone."""
        draft, expected = work_or_404(model, id), expected_parts(request, id)
        discard_draft(actor=request.user, draft=draft, expected=expected)
        return Status(204, None)


def _add_acts(router: Router, model: type[Implementation | Test]) -> None:
    started = {202: BatchStarted, **refusals(400, 401, 403, 404, 409, 413, 422, 429)}

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
        draft = work_or_404(model, id)
        return Status(202, run_draft(actor=request.user, draft=draft, request_key=key, only=only))

    @router.post(
        "/{int:id}/publish/",
        response=started,
        operation_id=f"publish_{model.noun}",
        summary="Publish a draft",
    )
    def publish_draft(request: HttpRequest, id: int, key: RequestKey) -> Status[Batch]:
        """Publish a draft and run it, and license it to everyone as the site says.

        This can't be undone.
        """
        read_nothing(request)
        draft = work_or_404(model, id)
        return Status(202, publish(actor=request.user, draft=draft, request_key=key))

    @router.put(
        "/{int:id}/vote/",
        response={200: ScoreShown, **refusals(400, 401, 404, 409, 422, 429)},
        operation_id=f"vote_on_{model.noun}",
        summary="Vote",
    )
    def vote(request: HttpRequest, id: int, payload: VoteCast) -> VoteResult:
        """Vote on somebody else's published work; a new vote replaces the old one, 0 removes it."""
        return vote_on(actor=request.user, model=model, pk=id, value=payload.value)


implementations = work_router(Implementation, ImplementationShown)
tests = work_router(Test, TestShown)
