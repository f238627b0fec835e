"""Pages of a function's discussion and its threads, and actions on comments.

Comments and replies of visitors are posted once they have signed in. Other forms are shown again
to them, with the typed text.
"""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from functions.errors import Refusal
from functions.forms import CommentForm, HidingForm, RefusableForm
from functions.models import Comment, Function
from functions.moderation.comments import (
    delete_comment,
    edit_comment,
    hide_comment,
    reply_to,
    unhide_comment,
    write_comment,
)
from functions.permissions import may_edit_comment, may_hide_comment
from functions.read_models.comments import NEWEST, ORDERS, Subject, comment_row, place_of, work_at
from functions.read_models.discussion import DiscussionPage, cursor_to, discussion_page, thread_page
from functions.read_models.function import function_or_404
from functions.read_models.not_found import or_404
from functions.views.intents import ask_to_sign_in
from functions.views.responses import action

ON_FUNCTION = "function"


@require_http_methods(["GET", "HEAD", "POST"])
def show_discussion(request: HttpRequest, name: str) -> HttpResponse:
    """Show comments on a function and its works, or on one item (`on`); a POST adds a comment."""
    function = function_or_404(name)
    on = _subject(function, request.GET.get("on", ""))
    form = CommentForm(_posted(request), auto_id=f"talk-{_anchor(on) or 'all'}-%s")
    status = 200
    if form.is_bound and form.is_valid():
        if not request.user.is_authenticated:
            return ask_to_sign_in(request)
        try:
            text = form.cleaned_data["text"]
            made = write_comment(actor=request.user, subject=on or function, text=text)
            return redirect(f"{_url(function, on)}#C{made.pk}")
        except Refusal as refusal:
            status = _add(form, refusal)
    order = request.GET.get("order", NEWEST)
    if order not in ORDERS:
        raise Http404(_("There is no such order."))
    cursor = request.GET.get("cursor", "")
    page = discussion_page(function, request.user, on=on, order=order, cursor=cursor)
    context = {"page": page, "form": form, "cursor": cursor, **_links_of(page, on)}
    return render(request, "functions/discussion.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def show_comment(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a thread, redirecting from a reply to its place in it; a POST adds a reply."""
    comment = _comment_or_404(request, pk)
    if comment.parent_id is not None and request.method != "POST":
        cursor = cursor_to(comment)
        place = f"?{urlencode({'cursor': cursor})}" if cursor else ""
        return redirect(f"{reverse('comment', args=[comment.parent_id])}{place}#C{pk}")
    form = CommentForm(_posted(request), auto_id=f"reply-{pk}-%s")
    status = 200
    if form.is_bound and form.is_valid():
        if not request.user.is_authenticated:
            return ask_to_sign_in(request)
        try:
            text = form.cleaned_data["text"]
            return redirect(reply_to(actor=request.user, comment=comment, text=text))
        except Refusal as refusal:
            status = _add(form, refusal)
    cursor = request.GET.get("cursor", "")
    page = or_404(thread_page(comment, request.user, cursor=cursor), _("This comment was deleted."))
    context = {
        "page": page,
        "form": form,
        "cursor": cursor,
        "next_url": f"?{urlencode({'cursor': page.next})}" if page.next else "",
        "all_url": _url(page.function, None),
    }
    return render(request, "functions/thread.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Edit the user's own comment."""
    comment = _comment_or_404(request, pk)
    form = CommentForm(_posted(request), auto_id=f"edit-{pk}-%s", initial={"text": comment.text})
    status = 200
    if not form.is_bound and not may_edit_comment(request.user, comment):
        raise PermissionDenied(_("Only its author can edit a comment."))
    if form.is_bound and form.is_valid():
        try:
            text = form.cleaned_data["text"]
            return redirect(edit_comment(actor=request.user, comment=comment, text=text))
        except Refusal as refusal:
            status = _add(form, refusal)
    return _form_page(request, comment, form, _("Edit comment"), _("Save"), status)


@require_http_methods(["GET", "HEAD", "POST"])
def hide(request: HttpRequest, pk: int) -> HttpResponse:
    """Hide a comment."""
    comment = _comment_or_404(request, pk)
    form = HidingForm(_posted(request), auto_id=f"hide-{pk}-%s")
    status = 200
    if not form.is_bound and not may_hide_comment(request.user, comment):
        raise PermissionDenied(
            _("Only the owner of %(name)s can hide comments on it.")
            % {"name": comment.function.name}
        )
    if form.is_bound and form.is_valid():
        try:
            reason = form.cleaned_data["reason"]
            return redirect(hide_comment(actor=request.user, comment=comment, reason=reason))
        except Refusal as refusal:
            status = _add(form, refusal)
    return _form_page(request, comment, form, _("Hide comment"), _("Hide"), status)


@action
def show(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a hidden comment again."""
    return redirect(unhide_comment(actor=request.user, comment=_comment_or_404(request, pk)))


@action
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete the user's own comment, and redirect to its place."""
    comment = _comment_or_404(request, pk)
    delete_comment(actor=request.user, comment=comment)
    if comment.parent_id is not None or comment.replies:
        return redirect("comment", comment.thread_id)
    subject = comment.implementation or comment.test or comment.function
    return redirect(_url(comment.function, subject))


def _posted(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


def _add(form: RefusableForm, refusal: Refusal) -> int:
    form.add_refusal(refusal)
    return refusal.status


def _comment_or_404(request: HttpRequest, pk: int) -> Comment:
    return or_404(comment_row(pk, request.user), _("There is no such comment."))


def _subject(function: Function, on: str) -> Subject | None:
    if on in ("", ON_FUNCTION):
        return function if on else None
    work = work_at(function, on)
    if work is None:
        raise Http404(f"{function.name} has no {on[:20]}.")
    return work


def _anchor(on: Subject | None) -> str:
    return (place_of(on).anchor or ON_FUNCTION) if on else ""


def _url(function: Function, on: Subject | None, **more: str) -> str:
    query = {name: value for name, value in {"on": _anchor(on), **more}.items() if value}
    path = reverse("discussion", args=[function.name])
    return f"{path}?{urlencode(query)}" if query else path


def _links_of(page: DiscussionPage, on: Subject | None) -> dict[str, Any]:
    """Return the page's links, with the chosen order unless it is the default."""
    order = page.order if page.order != NEWEST else ""
    return {
        "action": _url(page.function, on),
        "orders": [
            (
                name,
                _url(page.function, on, order=name if name != NEWEST else ""),
                name == page.order,
            )
            for name in ORDERS
        ],
        "next_url": _url(page.function, on, order=order, cursor=page.next) if page.next else "",
        "first_url": _url(page.function, on, order=order),
        "all_url": _url(page.function, None, order=order),
    }


def _form_page(
    request: HttpRequest,
    comment: Comment,
    form: RefusableForm,
    title: str,
    button: str,
    status: int,
) -> HttpResponse:
    context = {"comment": comment, "form": form, "title": title, "button": button}
    return render(request, "functions/comment_form.html", context, status=status)
