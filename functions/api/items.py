"""Endpoints of collections' items, which are also below /r/."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Status
from ninja.errors import HttpError
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.preconditions import etag_of, etag_of_content, expected_version, unchanged
from functions.api.problems import refusals
from functions.api.schemas import Answer
from functions.collections.items import (
    MAX_ITEM_BYTES,
    add_item,
    delete_item,
    merge_item,
    replace_item,
)
from functions.collections.queries import (
    ItemRow,
    collection_or_404,
    item_or_404,
    item_page,
    item_row,
)
from functions.json_data.query import parse_query
from functions.json_data.values import parse_json
from functions.models import Collection

MAX_BODY_BYTES = 4 * MAX_ITEM_BYTES  # with blanks and escapes
JSON_TYPES = ("application/json", "application/merge-patch+json")
CHANGED = refusals(400, 401, 403, 404, 409, 412, 413, 415, 422, 428, 429)
_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
}

router = Router(tags=["collections"])


class ItemShown(Answer):
    """An item of a collection."""

    id: int
    version: int = Field(description="one more with each change; also in the ETag")
    author: str
    created_at: datetime
    changed_at: datetime
    value: dict[str, Any]


class ItemList(Answer):
    """A page of items; `next` is the cursor of the next page, as is the header `Link`."""

    items: list[ItemShown] = Field(validation_alias="rows")
    next: str | None


@router.get(
    "/{name}/items/",
    response={200: ItemList, **refusals(400, 401, 404)},
    summary="Find items",
)
def find_items(request: HttpRequest, response: HttpResponse, name: str) -> Any:
    """Return the items that match all conditions of the address, page by page.

    A parameter is the path of a member (`address.zipcode=54321`), with a suffix for comparisons:
    `__ne`, `__lt`, `__lte`, `__gt`, `__gte`, `__in`, `__exists`, `__contains`. `order` sorts,
    `limit` and `cursor` page.
    """
    parameters = [(key, value) for key, values in request.GET.lists() for value in values]
    query = parse_query(parameters)
    page = item_page(request.user, collection_or_404(request.user, name), query)
    shown = ItemList.model_validate(page)
    etag = etag_of_content(shown.model_dump_json().encode())
    if answer := unchanged(request, etag):
        return answer
    response["ETag"] = etag
    if page.next:
        following = request.GET.copy()
        following["cursor"] = page.next
        response["Link"] = f'<{request.path}?{following.urlencode()}>; rel="next"'
    return shown


@router.post(
    "/{name}/items/",
    response={201: ItemShown, **CHANGED},
    summary="Add an item",
    auth=SOMEBODY,
    openapi_extra=_BODY,
)
def create_item(request: HttpRequest, response: HttpResponse, name: str) -> Status[ItemRow]:
    """Add the JSON object of the body; `Location` has its address."""
    collection = collection_or_404(request.user, name)
    item = add_item(actor=request.user, collection=collection, value=_read_value(request))
    response["Location"] = f"{request.path}{item.pk}/"
    response["ETag"] = etag_of(item.pk, item.version)
    return Status(201, item_row(item))


@router.get(
    "/{name}/items/{int:id}/",
    response={200: ItemShown, **refusals(400, 401, 404)},
    summary="Read an item",
)
def show_item(request: HttpRequest, response: HttpResponse, name: str, id: int) -> Any:
    """Return an item; with `If-None-Match` and its ETag, 304 if it is unchanged."""
    item = item_or_404(request.user, collection_or_404(request.user, name), id)
    etag = etag_of(item.id, item.version)
    if answer := unchanged(request, etag):
        return answer
    response["ETag"] = etag
    return item


@router.put(
    "/{name}/items/{int:id}/",
    response={200: ItemShown, **CHANGED},
    operation_id="replace_item",
    summary="Replace an item",
    auth=SOMEBODY,
    openapi_extra=_BODY,
)
def put_item(request: HttpRequest, response: HttpResponse, name: str, id: int) -> ItemRow:
    """Replace the item's value by the JSON object of the body."""
    collection = collection_or_404(request.user, name)
    expected = _expected_version(request, collection, id)
    item = replace_item(
        actor=request.user,
        collection=collection,
        item_id=id,
        value=_read_value(request),
        expected_version=expected,
    )
    response["ETag"] = etag_of(item.pk, item.version)
    return item_row(item)


@router.patch(
    "/{name}/items/{int:id}/",
    response={200: ItemShown, **CHANGED},
    operation_id="merge_item",
    summary="Merge into an item",
    auth=SOMEBODY,
    openapi_extra=_BODY,
)
def patch_item(request: HttpRequest, response: HttpResponse, name: str, id: int) -> ItemRow:
    """Change members of the item by a merge patch (RFC 7396); null removes one."""
    collection = collection_or_404(request.user, name)
    expected = _expected_version(request, collection, id)
    item = merge_item(
        actor=request.user,
        collection=collection,
        item_id=id,
        patch=_read_value(request),
        expected_version=expected,
    )
    response["ETag"] = etag_of(item.pk, item.version)
    return item_row(item)


@router.delete(
    "/{name}/items/{int:id}/",
    response={204: None, **CHANGED},
    operation_id="delete_item",
    summary="Delete an item",
    auth=SOMEBODY,
)
def remove_item(request: HttpRequest, name: str, id: int) -> Status[None]:
    """Delete an item; this can't be undone."""
    collection = collection_or_404(request.user, name)
    delete_item(
        actor=request.user,
        collection=collection,
        item_id=id,
        expected_version=_expected_version(request, collection, id),
    )
    return Status(204, None)


def _expected_version(request: HttpRequest, collection: Collection, item_id: int) -> int | None:
    def current() -> int:
        return item_or_404(request.user, collection, item_id).version

    return expected_version(request, item_id, current, is_needed=collection.needs_match)


def _read_value(request: HttpRequest) -> Any:
    """Return the JSON value of the body."""
    if request.content_type not in JSON_TYPES:
        raise HttpError(415, "")
    if len(request.body) > MAX_BODY_BYTES:
        raise HttpError(413, "")
    try:
        text = request.body.decode()
    except UnicodeDecodeError as error:
        raise HttpError(400, "") from error
    return parse_json(text, field="value")
