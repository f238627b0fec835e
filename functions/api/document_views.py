"""Endpoints of document views."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status
from pydantic import Field, JsonValue

from functions.api.authentication import SOMEBODY
from functions.api.bodies import Cursor, Limit, ListQuery, Text
from functions.api.problems import refusals
from functions.api.schemas import Answer, OrNull
from functions.document_views.ownership import create_view, delete_view, find_view
from functions.models import DocumentView
from functions.read_models.document_views import (
    ViewList,
    ViewPage,
    fresh_at,
    readable_views,
    state_of,
    view_page,
)

router = Router(tags=["document views"])


class ViewShort(Answer):
    """A document view in a list."""

    name: str
    owner: str
    definition: dict[str, Any]
    state: str = Field(description="building or ready")
    created_at: datetime
    changed_at: datetime | None = Field(description="when its groups last changed")

    @classmethod
    def of(cls, view: DocumentView) -> "ViewShort":
        return cls(
            name=view.name,
            owner=view.owner.get_username(),
            definition=view.as_written,
            state=state_of(view),
            created_at=view.created_at,
            changed_at=fresh_at(view),
        )


class ViewsShown(Answer):
    """A page of document views by name; `next` is the cursor of the next page."""

    items: list[ViewShort]
    next: OrNull


class GroupShown(Answer):
    """A group with its values by name; without `group_by` there is one, null."""

    group: JsonValue
    count: int = Field(description="number of records, or of pairs of joined ones")
    values: dict[str, JsonValue]


class ViewShown(ViewShort):
    """A document view with a page of its groups; `next` is the cursor of the next page."""

    order: str
    items: list[GroupShown]
    next: OrNull
    pending: int = Field(description="changes that are not applied yet; 1000 means 1000 or more")
    topic: str = Field(description="the stream of its events")
    epoch: int
    seq: int = Field(description="the last event of the stream that the groups include")


class NewView(Schema):
    """A new document view."""

    name: Text
    definition: JsonValue


class GroupQuery(Schema):
    """Order and page of groups."""

    order: Text = Field("", description="group or a value's name; with a minus, the last first")
    cursor: Cursor = ""
    limit: Limit = 50


@router.get("/", response={200: ViewsShown, **refusals(400)}, summary="List document views")
def list_views(request: HttpRequest, query: Query[ListQuery]) -> ViewsShown:
    """Return the views whose sources you may read, by name; a page may be short."""
    views: ViewList = readable_views(request.user, **query.model_dump())
    return ViewsShown(items=[ViewShort.of(view) for view in views.rows], next=views.next)


@router.post(
    "/",
    auth=SOMEBODY,
    response={201: ViewShort, **refusals(400, 401, 403, 409, 413, 422, 429)},
    summary="Create a document view",
)
def create(request: HttpRequest, payload: NewView) -> Status[ViewShort]:
    """Define a query over sources that you may read; it is kept up to date from then on."""
    made = create_view(actor=request.user, name=payload.name, definition=payload.definition)
    made.refresh_from_db()
    return Status(201, ViewShort.of(made))


@router.get(
    "/{name}/", response={200: ViewShown, **refusals(400, 404)}, summary="Read a document view"
)
def read(request: HttpRequest, name: str, query: Query[GroupQuery]) -> ViewShown:
    """Return a view with its groups; by default, those with the largest first value come first."""
    page: ViewPage = view_page(find_view(request.user, name), **query.model_dump())
    return ViewShown(
        **dict(ViewShort.of(page.view)),
        order=page.order,
        items=[GroupShown.model_validate(row) for row in page.rows],
        next=page.next,
        pending=page.pending,
        topic=page.view.topic,
        epoch=page.position.epoch,
        seq=page.position.seq,
    )


@router.delete(
    "/{name}/",
    auth=SOMEBODY,
    response={204: None, **refusals(401, 403, 404, 429)},
    summary="Delete a document view",
)
def delete(request: HttpRequest, name: str) -> Status[None]:
    """Delete a view of yours; its records stay."""
    delete_view(actor=request.user, view=find_view(request.user, name))
    return Status(204, None)
