"""How views answer: a page or JSON, a refusal, something that is not there."""

from typing import Any, TypeVar, cast

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme

from functions.errors import Forbidden, NotFound, Refusal
from functions.models import Implementation, Test

Work = Implementation | Test
State = Implementation.State
Answer = TypeVar("Answer", bound=HttpResponse)
MODELS: dict[str, type[Implementation] | type[Test]] = {
    "implementation": Implementation,
    "test": Test,
}


def wants_json(request: HttpRequest) -> bool:
    """Say whether a script asks, rather than a page being opened."""
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


def signed_in(request: HttpRequest) -> User:
    """Return who asks; only for views that require it."""
    return cast("User", request.user)


def work_or_404(noun: str, pk: int) -> Work:
    """Return a work of a function that is there, or a draft, which outlives its function."""
    found = MODELS[noun].objects.select_related("function", "author", "judge", "based_on__author")
    at_hand = Q(function__deleted_at=None) | Q(state=State.DRAFT)
    work = found.filter(at_hand, pk=pk).first()
    if work is None:
        raise Http404
    return work


def own_draft_or_404(request: HttpRequest, noun: str, pk: int) -> Work:
    """Return a draft to its author; for everybody else there is none."""
    work = work_or_404(noun, pk)
    if work.author_id != request.user.pk:
        raise Http404
    return work


def refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """Answer a refusal that no form shows."""
    if wants_json(request):
        return refusal_json(refusal)
    if isinstance(refusal, NotFound):
        raise Http404(refusal.message)
    if isinstance(refusal, Forbidden):
        raise PermissionDenied(refusal.message)
    context = {"refusal": refusal, "back": _page_before(request)}
    return with_retry_after(
        render(request, "refused.html", context, status=refusal.status), refusal
    )


def with_retry_after(answer: Answer, refusal: Refusal | None) -> Answer:
    """Return the answer with word of when it may be worth trying again, if that is known."""
    if refusal is not None and refusal.retry_after_seconds is not None:
        answer["Retry-After"] = str(refusal.retry_after_seconds)
    return answer


def _page_before(request: HttpRequest) -> str:
    """Return the page of this site on which a form was sent, where what was typed still is."""
    page = request.headers.get("Referer", "")
    is_ours = url_has_allowed_host_and_scheme(page, {request.get_host()}, request.is_secure())
    return page if is_ours else ""


def refusal_json(refusal: Refusal, *, more: dict[str, Any] | None = None) -> JsonResponse:
    """Return a refusal as scripts read it."""
    answer = {
        "code": refusal.code,
        "message": refusal.message,
        "errors": complaints_json(refusal),
        **(more or {}),
    }
    return with_retry_after(JsonResponse(answer, status=refusal.status), refusal)


def complaints_json(refusal: Refusal) -> list[dict[str, Any]]:
    """Return all that is wrong as scripts read it."""
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
