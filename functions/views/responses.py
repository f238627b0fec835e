"""Helpers of views: pages or JSON, refusals, and lookups with 404."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from functions.errors import Forbidden, NotFound, Refusal
from functions.models import Implementation, Test
from functions.read_models.cursors import MAX_ID
from functions.views.intents import ask_to_sign_in, page_before

Work = Implementation | Test
State = Implementation.State
View = Callable[..., HttpResponse]
Answer = TypeVar("Answer", bound=HttpResponse)
MODELS: dict[str, type[Implementation] | type[Test]] = {
    "implementation": Implementation,
    "test": Test,
}


def wants_json(request: HttpRequest) -> bool:
    """Return whether the client prefers JSON to HTML, as our scripts do."""
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


def signed_in(request: HttpRequest) -> User:
    """Return the signed-in user, in views that require one."""
    return cast("User", request.user)


def work_or_404(noun: str, pk: int) -> Work:
    """Return a work of an existing function, or a draft also of a deleted one."""
    found = MODELS[noun].objects.select_related("function", "author", "judge", "based_on__author")
    at_hand = Q(function__deleted_at=None) | Q(state=State.DRAFT)
    work = found.filter(at_hand, pk=pk).first()
    if work is None:
        raise Http404
    return work


def number_or_404(text: str) -> int | None:
    """Return the number in a query string, None if it is empty; 404 for anything else."""
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and int(text[:20]) <= MAX_ID):
        raise Http404("This is not a number.")
    return int(text[:20])


def own_draft_or_404(request: HttpRequest, noun: str, pk: int) -> Work:
    """Return the user's own draft; 404 for all others."""
    work = work_or_404(noun, pk)
    if work.author_id != request.user.pk:
        raise Http404
    return work


def refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """Return the response to a refusal that isn't shown in a form."""
    if wants_json(request):
        return refusal_json(refusal)
    if isinstance(refusal, NotFound):
        raise Http404(refusal.message)
    if isinstance(refusal, Forbidden):
        raise PermissionDenied(refusal.message)
    context = {"refusal": refusal, "back": page_before(request)}
    return with_retry_after(
        render(request, "refused.html", context, status=refusal.status), refusal
    )


def answer_refusals(view: View) -> View:
    """Respond to refusals that a view without a form raises."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Refusal as refusal:
            return refused(request, refusal)

    return answered


def signed_in_first(view: View) -> View:
    """Ask visitors to sign in; what they posted is done then."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated or request.method != "POST":
            return login_required(view)(request, *args, **kwargs)
        return ask_to_sign_in(request)

    return guarded


def action(view: View) -> View:
    """Decorate the view of a button, which takes a POST of a signed-in user."""
    return require_POST(signed_in_first(answer_refusals(view)))


def with_retry_after(answer: Answer, refusal: Refusal | None) -> Answer:
    """Add a Retry-After header to the response, if the refusal has a delay."""
    if refusal is not None and refusal.retry_after_seconds is not None:
        answer["Retry-After"] = str(refusal.retry_after_seconds)
    return answer


def refusal_json(refusal: Refusal, *, more: dict[str, Any] | None = None) -> JsonResponse:
    """Return a refusal as JSON for scripts."""
    answer = {
        "code": refusal.code,
        "message": refusal.message,
        "errors": complaints_json(refusal),
        **(more or {}),
    }
    return with_retry_after(JsonResponse(answer, status=refusal.status), refusal)


def complaints_json(refusal: Refusal) -> list[dict[str, Any]]:
    """Return all complaints as JSON for scripts."""
    return [
        {
            "field": one.field,
            "code": one.code,
            "message": one.message,
            "line": one.line,
            "column": one.column,
        }
        for one in refusal.errors
    ]
