"""Endpoints of notifications, watches and digests."""

from datetime import datetime
from typing import Annotated, Literal

from django.contrib.auth.models import User
from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field, StrictBool, StrictInt

from functions.api.authentication import SOMEBODY
from functions.api.bodies import Cursor, Limit, ListQuery, Text
from functions.api.problems import refusals
from functions.api.schemas import Answer, Flat, FunctionList, IsSet, OrNull
from functions.models import Digest, Function, NameWatch
from functions.names import is_identifier, name_key
from functions.notifications.delivery import mark_read
from functions.notifications.digests import choose_digest
from functions.notifications.watches import watch_function, watch_name
from functions.permissions import require_account
from functions.read_models.cursors import MAX_ID
from functions.read_models.function import function_named
from functions.read_models.not_found import or_404
from functions.read_models.notifications import (
    NotificationPage,
    WatchPage,
    notification_page,
    watched_page,
    watching_of,
)

MOST = 100
Id = Annotated[StrictInt, Field(ge=0, le=MAX_ID)]

router = Router(tags=["notifications"], auth=SOMEBODY)
watches = Router(tags=["notifications"], auth=SOMEBODY)


class NotificationShown(Answer):
    """An event at a function, or by a person, that you watch."""

    id: int
    kind: str = Field(
        description="failing_test, broken_dependency, acceptance_failed, comment, "
        "current_changed, challenge, unsettled, defined or published"
    )
    function: str
    text: str = Field(description="the sentence after the function's name")
    url: str = Field(description="the page to open")
    actor: str = Field(description="the user who caused it; may be empty")
    created_at: datetime = Field(validation_alias="at")
    read: bool = Field(validation_alias="is_read")


class NotificationList(Flat):
    """A page of notifications, newest first; `next` is the cursor of the next page."""

    parts = ("standing",)

    items: list[NotificationShown] = Field(validation_alias="rows")
    next: OrNull
    unread: int = Field(description="number of unread ones in all; 100 means 100 or more")
    topic: str = Field(description="the stream of events with the count")
    epoch: int
    seq: int = Field(description="the last event of the stream that `unread` includes")


class UnreadCount(Answer):
    """The number of unread notifications; 100 means 100 or more."""

    unread: int


class WatchShown(Answer):
    """Whether you watch a function, and its number of watchers."""

    function: str
    watching: bool
    watchers: int


class DigestShown(Answer):
    """Settings of notifications by e-mail."""

    frequency: str = Field(description="off, daily or weekly")
    address: str
    confirmed: IsSet = Field(
        validation_alias="confirmed_at",
        description="by the recipient; no digest is sent before that",
    )


class NotificationQuery(Schema):
    """Filters and page of notifications."""

    state: Literal["", "unread"] = ""
    cursor: Cursor = ""
    limit: Limit = 50


class WatchQuery(ListQuery):
    """A page of watched functions."""


class ReadMark(Schema):
    """The notifications to mark read: by id, or all up to one."""

    ids: list[Id] = Field([], max_length=MOST)
    up_to: Id | None = None


class WatchChange(Schema):
    """Whether to watch."""

    watching: StrictBool


class DigestChange(Schema):
    """The digest's frequency and address; a new address has to be confirmed."""

    frequency: Text
    address: Text = ""


def _user(request: HttpRequest) -> User:
    return require_account(request.user)


@router.get(
    "/", response={200: NotificationList, **refusals(400, 401)}, summary="List notifications"
)
def list_notifications(request: HttpRequest, query: Query[NotificationQuery]) -> NotificationPage:
    """Return your notifications and the number of unread ones."""
    return notification_page(
        _user(request),
        unread_only=query.state == "unread",
        cursor=query.cursor,
        limit=query.limit,
    )


@router.post(
    "/read/",
    response={200: UnreadCount, **refusals(400, 401, 413, 429)},
    summary="Mark notifications read",
)
def read_notifications(request: HttpRequest, payload: ReadMark) -> UnreadCount:
    """Mark some of your notifications read; ids of others' are ignored."""
    return UnreadCount(unread=mark_read(actor=request.user, **payload.model_dump()))


@router.get(
    "/digest/", response={200: DigestShown, **refusals(401)}, summary="Read the digest's settings"
)
def read_digest(request: HttpRequest) -> Digest:
    """Return how often and to which address notifications are sent by e-mail."""
    user = _user(request)
    return Digest.objects.filter(user=user).first() or Digest(user=user)


@router.put(
    "/digest/",
    response={200: DigestShown, **refusals(400, 401, 413, 422, 429)},
    summary="Change the digest's settings",
)
def change_digest(request: HttpRequest, payload: DigestChange) -> Digest:
    """Choose how often and to which address notifications are sent by e-mail."""
    return choose_digest(actor=request.user, **payload.model_dump())


@watches.get(
    "/", response={200: FunctionList, **refusals(400, 401)}, summary="List watched functions"
)
def list_watched(request: HttpRequest, query: Query[WatchQuery]) -> WatchPage:
    """Return the functions that you watch, the last watched first."""
    return watched_page(_user(request), **query.model_dump())


@watches.get("/{name}/", response={200: WatchShown, **refusals(401, 404)}, summary="Read a watch")
def read_watch(request: HttpRequest, name: str) -> WatchShown:
    """Return whether you watch a function or a name without one, and the number of watchers."""
    function = function_named(name)
    if function is None and is_identifier(name):
        return _name_watch(request, name)
    return _watch(request, or_404(function))


@watches.put(
    "/{name}/",
    response={200: WatchShown, **refusals(400, 401, 404, 409, 413, 422, 429)},
    summary="Watch a function",
)
def change_watch(request: HttpRequest, name: str, payload: WatchChange) -> WatchShown:
    """Start or stop watching a function; after stopping, publishing does not start it again.

    A name without a function can be watched too: you are notified when somebody defines it.
    """
    function = function_named(name)
    if function is None and is_identifier(name):
        watch_name(actor=request.user, name=name, watching=payload.watching)
        return _name_watch(request, name)
    function = or_404(function)
    watch_function(actor=request.user, function=function, watching=payload.watching)
    return _watch(request, function)


def _name_watch(request: HttpRequest, name: str) -> WatchShown:
    watches = NameWatch.objects.filter(name_key=name_key(name))
    mine = watches.filter(user=request.user.pk).exists()
    return WatchShown(function=name, watching=mine, watchers=watches.count())


def _watch(request: HttpRequest, function: Function) -> WatchShown:
    watching = watching_of(function, request.user)
    return WatchShown(function=function.name, watching=watching.mine, watchers=watching.watchers)
