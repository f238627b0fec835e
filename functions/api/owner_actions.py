"""Endpoints of actions of owners and staff."""

from typing import Any, TypeVar

from django.http import HttpRequest
from ninja import Router, Status

from functions.api.authentication import SOMEBODY
from functions.api.bodies import read_nothing
from functions.api.moderation_schemas import FunctionOwned, NewName, Reason, Receiver, Verdict
from functions.api.problems import refusals
from functions.api.schemas import BatchStarted, ImplementationShown, TestShown
from functions.authoring import withdraw
from functions.authoring.rename import rename_function
from functions.errors import no_such
from functions.models import Function, Implementation, Test
from functions.moderation.acceptability import judge_work
from functions.moderation.archive import archive_function, unarchive_function
from functions.moderation.ownership import (
    accept_function,
    end_offer,
    offer_function,
    transfer_function,
)
from functions.read_models import ImplementationCard, TestCard, function_or_404, work_card
from runner.models import Batch

AnyWork = TypeVar("AnyWork", bound=Implementation | Test)

router = Router(tags=["moderation"], auth=SOMEBODY)
CHANGED = {200: FunctionOwned, **refusals(400, 401, 403, 404, 409, 413, 422, 429)}


@router.post("/functions/{name}/rename/", response=CHANGED, summary="Rename a function")
def rename(request: HttpRequest, name: str, payload: NewName) -> Function:
    """Rename a function that no published code uses; owner only."""
    return rename_function(actor=request.user, function=function_or_404(name), name=payload.name)


@router.put("/functions/{name}/offer/", response=CHANGED, summary="Offer ownership")
def offer(request: HttpRequest, name: str, payload: Receiver) -> Function:
    """Offer ownership to another user, who has to accept it."""
    function = function_or_404(name)
    return offer_function(actor=request.user, function=function, to=payload.to)


@router.delete("/functions/{name}/offer/", response=CHANGED, summary="End an offer")
def end(request: HttpRequest, name: str) -> Function:
    """Cancel the offer as owner, or decline it."""
    return end_offer(actor=request.user, function=function_or_404(name))


@router.post("/functions/{name}/offer/accept/", response=CHANGED, summary="Accept ownership")
def accept(request: HttpRequest, name: str) -> Function:
    """Accept ownership of a function that you were offered."""
    read_nothing(request)
    return accept_function(actor=request.user, function=function_or_404(name))


@router.post("/functions/{name}/transfer/", response=CHANGED, summary="Transfer a function")
def transfer(request: HttpRequest, name: str, payload: Receiver) -> Function:
    """Make another user the owner without their consent; staff only."""
    function = function_or_404(name)
    return transfer_function(actor=request.user, function=function, to=payload.to)


@router.post("/functions/{name}/archive/", response=CHANGED, summary="Archive a function")
def archive(request: HttpRequest, name: str, payload: Reason) -> Function:
    """Close a function to drafts, publications, votes and edits."""
    function = function_or_404(name)
    return archive_function(actor=request.user, function=function, reason=payload.reason)


@router.post("/functions/{name}/unarchive/", response=CHANGED, summary="Unarchive a function")
def unarchive(request: HttpRequest, name: str, payload: Reason) -> Function:
    """Reopen an archived function."""
    function = function_or_404(name)
    return unarchive_function(actor=request.user, function=function, reason=payload.reason)


def _work_or_404(model: type[AnyWork], pk: int) -> AnyWork:
    rows: Any = model.objects.select_related("function", "author", "judge", "based_on__author")
    work: AnyWork | None = rows.filter(function__deleted_at=None, pk=pk).first()
    if work is None:
        raise no_such(model.noun)
    return work


def _add_acts_on_works(
    model: type[Implementation | Test], shown: type[ImplementationShown | TestShown]
) -> None:
    @router.post(
        f"/{model.noun}s/{{int:id}}/withdraw/",
        response={202: BatchStarted, **refusals(400, 401, 403, 404, 409, 429)},
        operation_id=f"withdraw_{model.noun}",
        summary="Withdraw",
    )
    def withdraw_work(request: HttpRequest, id: int) -> Status[Batch]:
        """Withdraw your published work from elections; it stays on the page."""
        read_nothing(request)
        return Status(202, withdraw(actor=request.user, work=_work_or_404(model, id)))

    @router.put(
        f"/{model.noun}s/{{int:id}}/verdict/",
        response={200: shown, **refusals(400, 401, 403, 404, 409, 413, 422, 429)},
        operation_id=f"judge_{model.noun}",
        summary="Judge a work acceptable or not",
    )
    def judge(request: HttpRequest, id: int, payload: Verdict) -> ImplementationCard | TestCard:
        """Set or clear the owner's verdict on a work; without one, votes decide."""
        judge_work(actor=request.user, work=_work_or_404(model, id), **payload.model_dump())
        return work_card(_work_or_404(model, id), request.user)


_add_acts_on_works(Implementation, ImplementationShown)
_add_acts_on_works(Test, TestShown)
