"""Endpoints of notifications, watches and digests."""

from datetime import datetime
from typing import Annotated, Literal

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field, StrictBool, StrictInt

from functions.api.authentication import SOMEBODY
from functions.api.bodies import Text
from functions.api.problems import refusals
from functions.api.schemas import FunctionList
from functions.api.serializers import function_short
from functions.models import Digest, Function
from functions.notifications.delivery import mark_read
from functions.notifications.digests import choose_digest
from functions.notifications.watches import watch_function
from functions.permissions import require_account
from functions.read_models import function_named
from functions.read_models.cursors import MAX_ID
from functions.read_models.notifications import notification_page, watched_page, watching_of

MOST = 100
Id = Annotated[StrictInt, Field(ge=0, le=MAX_ID)]

router = Router(tags=["notifications"], auth=SOMEBODY)
watches = Router(tags=["notifications"], auth=SOMEBODY)


class NotificationShown(Schema):
    """Something that happened to a function that one watches."""

    id: int
    kind: str = Field(
        description="failing_test, broken_dependency, acceptance_failed, comment, "
        "current_changed, challenge or unsettled"
    )
    function: str
    text: str = Field(description="what is said behind the function's name")
    url: str = Field(description="the page that it is about")
    actor: str = Field(description="whose doing it is; nobody's in particular if empty")
    created_at: datetime
    read: bool


class NotificationList(Schema):
    """A page of notifications, the newest first; `next` is the cursor of the page that follows."""

    items: list[NotificationShown]
    next: str | None
    unread: int = Field(description="of all of them; 100 means 100 or more")
    topic: str = Field(description="the stream of events that tells the count")
    epoch: int
    seq: int = Field(description="the last event of the stream that `unread` contains")


class UnreadCount(Schema):
    """How many notifications are unread; 100 means 100 or more."""

    unread: int


class WatchShown(Schema):
    """Whether one watches a function, and how many do."""

    function: str
    watching: bool
    watchers: int


class DigestShown(Schema):
    """Notifications by e-mail."""

    frequency: str = Field(description="off, daily or weekly")
    address: str
    confirmed: bool = Field(description="by whoever gets mail there; nothing is sent before")


class NotificationQuery(Schema):
    """Which notifications to list."""

    state: Literal["", "unread"] = ""
    cursor: Text = Field("", description="`next` of the page before")
    limit: int = Field(50, ge=1, description="at most 100 are given")


class WatchQuery(Schema):
    """Which of the watched functions to list."""

    cursor: Text = Field("", description="`next` of the page before")
    limit: int = Field(50, ge=1, description="at most 100 are given")


class ReadMark(Schema):
    """Which notifications are read: these, or all up to one."""

    ids: list[Id] = Field([], max_length=MOST)
    up_to: Id | None = None


class WatchChange(Schema):
    """Whether to watch."""

    watching: StrictBool


class DigestChange(Schema):
    """How often one wants a digest, and where; a new address is asked first."""

    frequency: Text
    address: Text = ""


def _asking(request: HttpRequest) -> User:
    return require_account(request.user)


def _function_or_404(name: str) -> Function:
    function = function_named(name)
    if function is None:
        raise Http404
    return function


@router.get(
    "/", response={200: NotificationList, **refusals(400, 401)}, summary="List notifications"
)
def list_notifications(request: HttpRequest, wanted: Query[NotificationQuery]) -> NotificationList:
    """Return what one was told, and how much of it is unread."""
    page = notification_page(
        _asking(request),
        unread_only=wanted.state == "unread",
        cursor=wanted.cursor,
        limit=min(wanted.limit, MOST),
    )
    items = [
        NotificationShown(
            id=row.id,
            kind=row.kind,
            function=row.function,
            text=row.text,
            url=row.url,
            actor=row.actor,
            created_at=row.at,
            read=row.is_read,
        )
        for row in page.rows
    ]
    return NotificationList(items=items, next=page.next or None, **page.standing._asdict())


@router.post(
    "/read/",
    response={200: UnreadCount, **refusals(400, 401, 413, 429)},
    summary="Mark notifications read",
)
def read_notifications(request: HttpRequest, payload: ReadMark) -> UnreadCount:
    """Mark some of one's notifications read; those of others stay as they are."""
    return UnreadCount(unread=mark_read(actor=request.user, ids=payload.ids, up_to=payload.up_to))


@router.get(
    "/digest/", response={200: DigestShown, **refusals(401)}, summary="Look at one's digest"
)
def read_digest(request: HttpRequest) -> DigestShown:
    """Return whether, how often and where one gets notifications by e-mail."""
    user = _asking(request)
    return _digest(Digest.objects.filter(user=user).first() or Digest(user=user))


@router.put(
    "/digest/",
    response={200: DigestShown, **refusals(400, 401, 413, 422, 429)},
    summary="Choose a digest",
)
def change_digest(request: HttpRequest, payload: DigestChange) -> DigestShown:
    """Say whether, how often and where one wants notifications by e-mail."""
    digest = choose_digest(actor=request.user, frequency=payload.frequency, address=payload.address)
    return _digest(digest)


def _digest(digest: Digest) -> DigestShown:
    return DigestShown(
        frequency=digest.frequency,
        address=digest.address,
        confirmed=digest.confirmed_at is not None,
    )


@watches.get(
    "/", response={200: FunctionList, **refusals(400, 401)}, summary="List watched functions"
)
def list_watched(request: HttpRequest, wanted: Query[WatchQuery]) -> FunctionList:
    """Return the functions that one watches, the one watched last first."""
    page = watched_page(_asking(request), cursor=wanted.cursor, limit=min(wanted.limit, MOST))
    items = [function_short(function, function.owner.username) for function in page.functions]
    return FunctionList(items=items, next=page.next or None)


@watches.get(
    "/{name}/", response={200: WatchShown, **refusals(401, 404)}, summary="Look at a watch"
)
def read_watch(request: HttpRequest, name: str) -> WatchShown:
    """Return whether one watches a function, and how many do."""
    return _watch(request, _function_or_404(name))


@watches.put(
    "/{name}/",
    response={200: WatchShown, **refusals(400, 401, 404, 409, 413, 429)},
    summary="Watch a function",
)
def change_watch(request: HttpRequest, name: str, payload: WatchChange) -> WatchShown:
    """Begin or cease to watch a function; who has ceased is not made to watch by publishing."""
    function = _function_or_404(name)
    watch_function(actor=request.user, function=function, watching=payload.watching)
    return _watch(request, function)


def _watch(request: HttpRequest, function: Function) -> WatchShown:
    watching = watching_of(function, request.user)
    return WatchShown(function=function.name, watching=watching.mine, watchers=watching.watchers)
