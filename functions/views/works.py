"""Actions on published works: each is a POST that calls one use case and redirects back.

Votes on comments are here as well.
"""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from functions.authoring import copy
from functions.errors import Refusal
from functions.forms import JudgementForm, VoteForm
from functions.moderation.acceptability import judge_work, withdraw
from functions.views.responses import refused, signed_in, wants_json, work_or_404
from functions.voting.votables import VOTABLES
from functions.voting.votes import vote_on


@require_POST
@login_required
def vote(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Vote up or down, or withdraw the vote."""
    form = VoteForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest("A vote is 1, 0 or -1.")
    value, model = form.cleaned_data["value"], VOTABLES[noun].model
    try:
        score = vote_on(actor=signed_in(request), model=model, pk=pk, value=value)
    except Refusal as refusal:
        return refused(request, refusal)
    if wants_json(request):
        return JsonResponse({"score": score, "value": value})
    row: Any = get_object_or_404(model, pk=pk)
    return redirect(row)


@require_POST
@login_required
def copy_work(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Create a draft from a published work."""
    try:
        return redirect(copy(actor=signed_in(request), work=work_or_404(noun, pk)))
    except Refusal as refusal:
        return refused(request, refusal)


@require_POST
@login_required
def withdraw_work(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Withdraw one's own work."""
    work = work_or_404(noun, pk)
    try:
        withdraw(actor=signed_in(request), work=work)
    except Refusal as refusal:
        return refused(request, refusal)
    return redirect(work)


@require_POST
@login_required
def judge(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Mark a work acceptable or not, as the owner, or leave it to the votes."""
    work, form = work_or_404(noun, pk), JudgementForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest("A verdict is accept, reject or clear.")
    reason = form.cleaned_data["reason"]
    try:
        judge_work(actor=signed_in(request), work=work, acceptable=form.acceptable, reason=reason)
    except Refusal as refusal:
        return refused(request, refusal)
    return redirect(work)
