"""Actions on published works, and votes on comments: POSTs that redirect back."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import get_object_or_404, redirect

from functions.authoring import copy, withdraw
from functions.forms import JudgementForm, VoteForm
from functions.moderation.acceptability import judge_work
from functions.views.responses import action, signed_in, wants_json, work_or_404
from functions.voting.votables import VOTABLES
from functions.voting.votes import vote_on


@action
def vote(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Vote up or down, or withdraw the vote."""
    form = VoteForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest("A vote is 1, 0 or -1.")
    value, model = form.cleaned_data["value"], VOTABLES[noun].model
    result = vote_on(actor=signed_in(request), model=model, pk=pk, value=value)
    if wants_json(request):
        scores = {"score": result.score, "agent_score": result.agent_score}
        return JsonResponse({**scores, "value": value})
    row: Any = get_object_or_404(model, pk=pk)
    return redirect(row)


@action
def copy_work(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Create a draft from a published work."""
    return redirect(copy(actor=signed_in(request), work=work_or_404(noun, pk)))


@action
def withdraw_work(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Withdraw the user's own work."""
    work = work_or_404(noun, pk)
    withdraw(actor=signed_in(request), work=work)
    return redirect(work)


@action
def judge(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Mark a work acceptable or not, as the owner, or leave it to the votes."""
    work, form = work_or_404(noun, pk), JudgementForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest("A verdict is accept, reject or clear.")
    reason = form.cleaned_data["reason"]
    judge_work(actor=signed_in(request), work=work, acceptable=form.acceptable, reason=reason)
    return redirect(work)
