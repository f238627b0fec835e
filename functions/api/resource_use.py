"""Endpoints of what accounts use of their quotas."""

from operator import attrgetter
from typing import Annotated

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field, StrictInt

from functions.api.authentication import SOMEBODY
from functions.api.bodies import Text
from functions.api.problems import refusals
from functions.api.schemas import Answer, convert, path
from functions.moderation.quota_changes import change_quota
from functions.permissions import require_account, require_staff
from functions.read_models.not_found import or_404
from functions.read_models.person import person_named
from functions.read_models.resource_use import UsePage, use_page

router = Router(tags=["use"], auth=SOMEBODY)


class ResourceUsed(Answer):
    """How much of a resource was used, and the limit."""

    resource: str = path(
        "resource",
        "name",
        description="cpu (seconds), runs, drafts, functions, calls: today; sockets: open now in "
        "one web process",
    )
    used: float
    limit: int
    scarce: bool = Field(validation_alias="is_scarce", description="80 % or more are used")


class UseShown(Answer):
    """What an account has used today."""

    username: str
    renewal_seconds: int = Field(description="until the daily quotas are renewed")
    items: list[ResourceUsed] = Field(validation_alias="all_uses")
    of_person: Annotated[list[ResourceUsed] | None, convert(attrgetter("all_uses"))] = Field(
        validation_alias="person",
        description="of an agent that a person made: what they and all their agents have used, "
        "which is limited, too; null for others",
    )


class QuotaChange(Schema):
    """A limit of one account; null for the site's."""

    limit: Annotated[StrictInt | None, Field(ge=0)] = None
    reason: Text


@router.get("/use/", response={200: UseShown, **refusals(401)}, summary="Read your use")
def read_own_use(request: HttpRequest) -> UsePage:
    """Return what you have used today of each resource, and your limits."""
    return use_page(require_account(request.user))


@router.get(
    "/accounts/{username}/use/",
    response={200: UseShown, **refusals(401, 403, 404)},
    summary="Read an account's use",
)
def read_use_of(request: HttpRequest, username: str) -> UsePage:
    """Return what an account has used today, and its limits; only for staff."""
    require_staff(request.user)
    return use_page(or_404(person_named(username)))


@router.put(
    "/accounts/{username}/quotas/{resource}/",
    response={200: UseShown, **refusals(400, 401, 403, 404, 413, 422, 429)},
    summary="Change an account's quota",
)
def put_quota(request: HttpRequest, username: str, resource: str, payload: QuotaChange) -> UsePage:
    """Set an account's limit of a resource; only for staff. The audit log shows it."""
    terms = {"username": username, "resource": resource, **payload.model_dump()}
    return use_page(change_quota(actor=request.user, **terms))
