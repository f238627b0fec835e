"""Visits of pages: what a page gets, and the changes that it makes for whoever has opened it.

A page has an opaque origin, so its requests carry no cookies. Who opens it on the site, signed in,
opens an address with a token of their account and the page. The page's scripts can read the token;
it allows no more than what the page may do anyway while it is open.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from functions.calls.commands import DOCUMENT, apply_commands, repeat_outdated
from functions.calls.page import PageRequest, RenderedPage, render_once, render_page
from functions.calls.pins import PinnedVersions, current_versions
from functions.collections.declared_items import followed_collections, read_items, reads_of
from functions.errors import NotFound, Outdated
from functions.graph.queries import living_functions
from functions.models import Function
from functions.names import name_key
from functions.views.page_addresses import page_url
from functions.views.responses import answer_refusals
from runner.events.topics import heads
from runner.registry import Actor

KIND = "page"
SALT = "functions.visits"
TOKEN_SECONDS = 12 * 3_600


@dataclass(frozen=True, slots=True)
class Visit:
    """A page, and who looks at it; its calls are counted for its owner."""

    versions: PinnedVersions
    actor: Actor

    @property
    def page(self) -> str:
        """The name of the page."""
        return self.versions.name


class _Token(NamedTuple):
    page: str
    user: int
    session: str  # ends with the password


def answer_visit(
    visit: Visit, request: PageRequest, *, address: str, with_data: bool
) -> RenderedPage:
    """Return the page, after it has made the changes that it asks for in answer to a form.

    Raises PageFailed, and a Refusal; then nothing was changed.
    """
    latest = visit

    def answer() -> RenderedPage:
        nonlocal latest
        page = _render(latest, request, address, with_data=with_data)
        if request.method == "POST" and page.commands:
            try:
                apply_commands(
                    actor=visit.actor,
                    versions=latest.versions,
                    request_id=request.request_id,
                    commands=page.commands,
                )
            except Outdated:  # possibly of a document, which is part of the versions
                latest = replace(visit, versions=page_versions(visit.page))
                raise
        return page

    page = repeat_outdated(answer)
    if request.method != "POST" or not page.commands:
        return page
    if with_data:  # as it is now
        again = replace(request, method="GET", form={})
        return _render(latest, again, address, with_data=True)
    return page if page.location else replace(page, status=303, location=request.path or ".")


@require_safe
@answer_refusals
def open_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show a page within the site: with the reader's permissions, and live."""
    function = _page_or_404(name)
    versions = current_versions(function.name)
    collections = followed_collections(request.user, reads_of(versions.closure[-1].implementation))
    # Positions first, so that no change is missed.
    found = heads([*(each.topic for each in collections), *_document_topics(versions)])
    topics = [{"topic": topic, **position._asdict()} for topic, position in found.items()]
    context = {
        "function": function,
        "address": visit_url(function.name, request.user),
        "topics": topics,
    }
    return render(request, "functions/open_page.html", context)


def visit_url(page: str, actor: Actor) -> str:
    """Return the address of a page for this account, valid for TOKEN_SECONDS."""
    if not actor.is_authenticated or actor.pk is None:
        return page_url(reverse("page", args=[page, ""]))
    token = signing.dumps(_Token(page, actor.pk, _session_of(actor)), salt=SALT)
    return page_url(reverse("page-visit", args=[token, ""]))


def visit_of(token: str) -> Visit:
    """Return the visit that a token stands for. Raises a Refusal if it has ended."""
    ended = _("This visit has ended. Open the page again on the site.")
    try:
        page, user_id, session = signing.loads(token, salt=SALT, max_age=TOKEN_SECONDS)
    except (signing.BadSignature, ValueError):
        raise NotFound("not_found", ended) from None
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None or not constant_time_compare(_session_of(user), session):
        raise NotFound("not_found", ended)
    return Visit(page_versions(page), user)


def page_versions(name: str) -> PinnedVersions:
    """Return the current versions of a page. Raises a Refusal if it can't be shown."""
    try:
        return current_versions(name, kind=KIND)
    except NotFound:
        raise NotFound("not_found", _("There is no such page.")) from None


def _document_topics(versions: PinnedVersions) -> list[str]:
    """Return the topics of the documents that the page itself names."""
    named = living_functions(map(name_key, versions.closure[-1].names)).values()
    return [function.topic for function in named if function.kind == DOCUMENT]


def _session_of(actor: Actor) -> str:
    """Return what changes with the account's password."""
    return actor.get_session_auth_hash()[:32] if isinstance(actor, User) else ""


def _page_or_404(name: str) -> Function:
    found = Function.objects.filter(name_key=name_key(name), kind=KIND, deleted_at=None).first()
    if found is None:
        raise NotFound("not_found", _("There is no such page."))
    return found


def _render(
    visit: Visit,
    request: PageRequest,
    address: str,
    *,
    with_data: bool,
) -> RenderedPage:
    reads = reads_of(visit.versions.closure[-1].implementation)
    items = read_items(visit.actor, visit.page, reads)
    changes_nothing = request.method == "GET" and visit.actor.pk is None
    return (render_once if changes_nothing else render_page)(
        visit.versions,
        replace(request, items=items, visitor=visit.actor.get_username()),
        payer=visit.versions.owner,
        visitor=address,
        with_data=with_data,
    )
