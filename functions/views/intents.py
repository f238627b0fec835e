"""Requests of visitors that need an account, done once they have signed in.

A request is kept in the visitor's session, and only the sign-in page that it led to carries its
token. So nothing is done that the visitor did not ask for on the way to this page.
"""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, resolve_url
from django.urls import resolve
from django.utils.crypto import get_random_string
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

FIELD = "intent"  # of the sign-in form
_KEPT = "intents"
_CARRIED = "intent"
MAX_KEPT = 5
MAX_CHARACTERS = 30_000
# Purposes of signing in, by the view's name.
PURPOSES = {
    "vote": gettext_noop("Sign in to vote."),
    "copy": gettext_noop("Sign in to copy and edit this."),
    "watch": gettext_noop("Sign in to watch this function."),
    "watch-person": gettext_noop("Sign in to watch this person."),
    "discussion": gettext_noop("Sign in to post your comment."),
    "comment": gettext_noop("Sign in to post your reply."),
    "new-implementation": gettext_noop("Sign in to write an implementation."),
    "new-test": gettext_noop("Sign in to write a test."),
    "new-function": gettext_noop("Sign in to define a function."),
}
OTHER_PURPOSE = gettext_noop("Sign in to continue.")


def ask_to_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect a visitor's POST to the sign-in page; it is done after signing in.

    Scripts get a 401 and post the form instead.
    """
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        refusal = {"code": "not_signed_in", "message": _("Sign in first.")}
        return JsonResponse(refusal, status=401)
    query = {"next": page_before(request) or "/"}
    fields = request.POST.copy()
    fields.pop("csrfmiddlewaretoken", None)
    text = fields.urlencode()
    if len(text) <= MAX_CHARACTERS and not request.FILES:
        token = get_random_string(12)
        kept = list(request.session.get(_KEPT, {}).items())[1 - MAX_KEPT :]
        request.session[_KEPT] = {**dict(kept), token: [request.get_full_path(), text]}
        query[FIELD] = token
    return redirect(f"{resolve_url(settings.LOGIN_URL)}?{urlencode(query)}")


def purpose_of(request: HttpRequest, token: str) -> str:
    """Return a sentence on what the visitor of this token wants; empty if nothing is kept."""
    path, *_fields = request.session.get(_KEPT, {}).get(token, ("", ""))
    if not path:
        return ""
    return _(PURPOSES.get(resolve(urlsplit(path).path).view_name or "", OTHER_PURPOSE))


def carry_intent(request: HttpRequest) -> None:
    """Keep the token of the form that signing in has begun with, for as many pages as it takes."""
    token = request.POST.get(FIELD, "")
    if token or _CARRIED in request.session:
        request.session[_CARRIED] = token


def resume(request: HttpRequest) -> HttpResponse | None:
    """Do what the visitor asked for, now as the present user; None if nothing is kept."""
    token = request.session.pop(_CARRIED, "")
    kept = request.session.get(_KEPT, {})
    path, text = kept.pop(token, ("", ""))
    if not path:
        return None
    request.session[_KEPT] = kept
    address = urlsplit(path)
    request.method = "POST"  # also where a provider's page has led back
    request.path = request.path_info = address.path
    request.GET = QueryDict(address.query)
    request.POST = QueryDict(text)
    match = resolve(address.path)
    request.resolver_match = match
    answer: HttpResponse = match.func(request, *match.args, **match.kwargs)
    return answer


def page_before(request: HttpRequest) -> str:
    """Return the page of this site that the form was submitted from."""
    page = request.headers.get("Referer", "")
    is_ours = url_has_allowed_host_and_scheme(page, {request.get_host()}, request.is_secure())
    return page if is_ours else ""
