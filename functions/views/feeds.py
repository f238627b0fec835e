"""Atom feeds of functions, of people, and of what a person's work depends on."""

import hashlib
import re
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import override
from django.views.decorators.http import require_safe

from functions.read_models.feeds import (
    Entry,
    entries_of_dependencies,
    entries_of_function,
    entries_of_person,
)
from functions.read_models.function import function_or_404
from functions.read_models.person import person_named

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
CONTENT_TYPE = "application/atom+xml; charset=utf-8"


@require_safe
def show_function_feed(request: HttpRequest, name: str) -> HttpResponse:
    """Send what happened to a function."""
    function = function_or_404(name)
    page = function.get_absolute_url()
    return _feed(request, function.name, page, entries_of_function(function))


@require_safe
def show_person_feed(request: HttpRequest, username: str) -> HttpResponse:
    """Send what a person did."""
    user = _person_or_404(username)
    page = reverse("person", args=[user.get_username()])
    return _feed(request, user.get_username(), page, entries_of_person(user))


@require_safe
def show_dependencies_feed(request: HttpRequest, username: str) -> HttpResponse:
    """Send what happened to the functions that a person's published works use."""
    user = _person_or_404(username)
    page = reverse("person", args=[user.get_username()])
    title = f"What {user.get_username()} depends on"
    return _feed(request, title, page, entries_of_dependencies(user))


def _person_or_404(username: str) -> User:
    user = person_named(username)
    if user is None:
        raise Http404("nobody has this name")
    return user


def _feed(request: HttpRequest, title: str, page: str, entries: list[Entry]) -> HttpResponse:
    etag = f'"{hashlib.sha256(repr((title, entries)).encode()).hexdigest()}"'
    answer = get_conditional_response(request, etag=etag)
    if answer is None:
        answer = HttpResponse(_write(title, page, request.path, entries))
    answer["ETag"], answer["Cache-Control"] = etag, "no-cache"
    answer["Content-Type"] = CONTENT_TYPE
    return answer


def _write(title: str, page: str, path: str, entries: list[Entry]) -> str:
    host = urlsplit(settings.PUBLIC_URL).hostname or "localhost"
    with override("en"):  # the same for every client, as its sentences are kept in English
        feed = Atom1Feed(
            title=f"{title} · Social Code",
            link=f"{settings.PUBLIC_URL}{page}",
            feed_url=f"{settings.PUBLIC_URL}{path}",
            description="",
            language="en",
        )
        for entry in entries:
            feed.add_item(
                title=_printable(entry.title),
                link=f"{settings.PUBLIC_URL}{entry.url}",
                description=_printable(entry.text),
                author_name=entry.author or "Social Code",
                unique_id=f"tag:{host},2026:{entry.key}",
                pubdate=entry.at,
                updateddate=entry.at,
            )
        text: str = feed.writeString("utf-8")
    return text


def _printable(text: str) -> str:
    """Replace the characters that XML can't have."""
    return _UNPRINTABLE.sub("\ufffd", text)
