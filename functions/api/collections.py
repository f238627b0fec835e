"""Endpoints of collections."""

from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema, Status
from pydantic import Field, StrictBool

from functions.api.authentication import SOMEBODY
from functions.api.bodies import ListQuery, Text
from functions.api.preconditions import etag_of, expected_version
from functions.api.problems import refusals
from functions.api.schemas import Answer, Username
from functions.collections.definition import (
    Settings,
    change_collection,
    create_collection,
    delete_collection,
)
from functions.collections.queries import collection_or_404
from functions.models import Collection
from functions.read_models.collections import CollectionPage, list_collections

REFUSED = refusals(400, 401, 403, 404, 409, 412, 413, 422, 429)

router = Router(tags=["collections"])


class CollectionShown(Answer):
    """A collection, and who may read, add and change its items."""

    name: str
    owner: Username
    description: str = Field(description="Markdown")
    item_schema: dict[str, Any] | None = Field(
        validation_alias="schema", description="what items must fit; null: any object"
    )
    schema_document: str = Field(
        description="the document that is the schema instead; empty: none is"
    )
    may_read: str
    may_add: str
    may_change: str
    needs_match: bool = Field(description="whether changes need `If-Match`")
    pages: list[str] = Field(description="pages and functions that may read and change items")
    state: str = Field(description="open, or closed: its items can only be read")
    version: int
    items: int = Field(validation_alias="item_count")
    bytes: int = Field(validation_alias="item_bytes")
    topic: str = Field(description="of the socket, with each change of an item")
    created_at: datetime
    changed_at: datetime


class CollectionList(Answer):
    """A page of collections; `next` is the cursor of the next page."""

    items: list[CollectionShown] = Field(validation_alias="rows")
    next: str | None


class CollectionQuery(ListQuery):
    """Filters and page of collections."""

    q: Text = Field("", description="in the name or the description")
    owner: Text = Field("", description="a user name")


class CollectionChange(Schema):
    """Changes to a collection; omitted fields are kept."""

    description: Text = Field("", description="Markdown.")
    item_schema: dict[str, Any] | None = Field(
        None, description="JSON Schema 2020-12 that new values must fit; null: any object."
    )
    schema_document: Text = Field(
        "", description="Name of a document that is the schema, in place of `item_schema`."
    )
    may_read: Literal["everyone", "signed_in", "author", "owner"] = "everyone"
    may_add: Literal["signed_in", "owner"] = "signed_in"
    may_change: Literal["signed_in", "author", "owner"] = "author"
    needs_match: StrictBool = False
    pages: list[Text] = Field(
        [], description="Pages that may read and change items for their visitors."
    )
    state: Literal["open", "closed"] = "open"


class NewCollection(CollectionChange):
    """A new collection."""

    name: str


@router.get(
    "/",
    response={200: CollectionList, **refusals(400)},
    operation_id="list_collections",
    summary="List collections",
)
def find_collections(request: HttpRequest, query: Query[CollectionQuery]) -> CollectionPage:
    """Return the collections that you may read, changed last first."""
    return list_collections(request.user, **query.model_dump())


@router.post(
    "/",
    response={201: CollectionShown, **REFUSED},
    operation_id="create_collection",
    summary="Create a collection",
    auth=SOMEBODY,
)
def new_collection(
    request: HttpRequest, response: HttpResponse, payload: NewCollection
) -> Status[Collection]:
    """Create a collection of yours; its items are at /r/<name>/."""
    settings = _settings(Settings(), payload)
    collection = create_collection(actor=request.user, name=payload.name, settings=settings)
    response["Location"] = f"{request.path}{collection.name}/"
    response["ETag"] = etag_of(collection.pk, collection.version)
    return Status(201, collection)


@router.get(
    "/{name}/",
    response={200: CollectionShown, **refusals(401, 404)},
    operation_id="read_collection",
    summary="Read a collection",
)
def show_collection(request: HttpRequest, response: HttpResponse, name: str) -> Any:
    """Return a collection, without its items."""
    collection = collection_or_404(request.user, name)
    response["ETag"] = etag_of(collection.pk, collection.version)
    return collection


@router.patch(
    "/{name}/",
    response={200: CollectionShown, **REFUSED},
    operation_id="change_collection",
    summary="Change a collection",
    auth=SOMEBODY,
)
def patch_collection(
    request: HttpRequest, response: HttpResponse, name: str, payload: CollectionChange
) -> Collection:
    """Change a collection's settings, as its owner. Items stay as they are."""
    collection = collection_or_404(request.user, name)
    changed = change_collection(
        actor=request.user,
        collection=collection,
        settings=_settings(Settings.of(collection), payload),
        expected_version=expected_version(request, collection.pk, lambda: collection.version),
    )
    response["ETag"] = etag_of(changed.pk, changed.version)
    return changed


@router.delete(
    "/{name}/",
    response={204: None, **REFUSED},
    operation_id="delete_collection",
    summary="Delete a collection",
    auth=SOMEBODY,
)
def remove_collection(request: HttpRequest, name: str) -> Status[None]:
    """Delete a collection of yours with all its items; this can't be undone."""
    delete_collection(actor=request.user, collection=collection_or_404(request.user, name))
    return Status(204, None)


def _settings(former: Settings, payload: CollectionChange) -> Settings:
    """Return the settings with those that the payload has."""
    given = payload.model_dump(exclude_unset=True, exclude={"name", "item_schema"})
    if "item_schema" in payload.model_fields_set:
        given["schema"] = payload.item_schema
    if "pages" in given:
        given["pages"] = tuple(given["pages"])
    return replace(former, **given)
