"""Endpoints of canaries: outside projects with the releases that they have locked."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Query, Router, Schema, Status
from pydantic import Field, StrictInt

from functions.api.authentication import SOMEBODY
from functions.api.bodies import ListQuery, Text, read_nothing
from functions.api.preconditions import content_of, etag_of_content, expected_parts, tagged
from functions.api.problems import refusals
from functions.api.schemas import Answer, Flat, OrNull
from functions.canaries.locks import MAX_LOCK_CHARACTERS, PYLOCK, RELEASES, REQUIREMENTS
from functions.canaries.projects import delete_canary, register_canary, replace_canary
from functions.errors import Refusal
from functions.models import Canary
from functions.read_models.canaries import (
    CanaryPage,
    canary_changes,
    canary_of,
    canary_page,
    canary_row,
)
from functions.read_models.not_found import or_404

router = Router(tags=["canaries"], auth=SOMEBODY)
REFUSED = refusals(400, 401, 403, 404, 409, 412, 413, 422, 429)
_FORMS = (PYLOCK, REQUIREMENTS, RELEASES)


class ReleaseNamed(Answer):
    """A locked release."""

    name: str
    number: int


class CanaryShort(Flat):
    """A registered project."""

    parts = ("canary",)

    id: int
    name: str
    locked: int = Field(description="number of locked releases, with all that they need")
    differing: int = Field(description="number of them that aren't current now")
    webhook: int | None = Field(
        validation_alias="webhook_id", description="the id of its webhook; null: none is told"
    )
    version: int = Field(description="counts the changes of the project")
    created_at: datetime
    locked_at: datetime = Field(description="when the lock was given")
    told_at: datetime | None = Field(description="when it was last told a change")


class CanaryShown(CanaryShort):
    """A registered project with its lock."""

    releases: list[ReleaseNamed] = Field(description="by name")
    secret: str | None = Field(
        None, description="of the webhook, when it was just made: deliveries are signed with it"
    )


class CanaryList(Answer):
    """A page of your projects, newest first; `next` is the cursor of the next page."""

    items: list[CanaryShort] = Field(validation_alias="rows")
    next: OrNull


class LockChangeShown(Answer):
    """A locked release that isn't current now."""

    name: str
    former: int = Field(description="the number of the locked release")
    latter: int | None = Field(description="that of the current one; null if none is current")
    difference: str = Field(
        description="own (another implementation or text), through_others (only what it uses "
        "differs) or gone"
    )
    through: list[str] = Field(description="the functions of the lock whose own change reaches it")
    yanked: OrNull = Field(description="why the locked release was yanked; null if it wasn't")
    cause: str = Field(description="of the function's last election since; empty without one")
    by: str = Field(description="who began the run that decided it; may be empty")
    at: datetime | None = Field(description="when the current release was made")
    diff_url: OrNull = Field(description="the page that compares both implementations, if it can")


class LockChanges(Answer):
    """What differs now from a project's lock, by name."""

    items: list[LockChangeShown]


class CanaryGiven(Schema):
    """A project's name and its lock: exactly one of three forms."""

    name: Text
    pylock: Text | None = Field(
        None, max_length=MAX_LOCK_CHARACTERS, description="the text of a `pylock.toml` (PEP 751)"
    )
    requirements: Text | None = Field(
        None,
        max_length=MAX_LOCK_CHARACTERS,
        description="the text of a requirements file with hashes",
    )
    releases: dict[Text, StrictInt] | None = Field(
        None, description="numbers of releases by the functions' names"
    )
    url: Text | None = Field(
        None,
        description="the https address of a webhook to make, which is told; null: none. If it is "
        "left out of a change, the webhook stays.",
    )


@router.get(
    "/", response={200: CanaryList, **refusals(400, 401)}, summary="List your registered projects"
)
def list_canaries(request: HttpRequest, query: Query[ListQuery]) -> CanaryPage:
    """Return the projects that you have registered, newest first."""
    return canary_page(request.user, **query.model_dump())


@router.post("/", response={201: CanaryShown, **REFUSED}, summary="Register a project")
def register(request: HttpRequest, response: HttpResponse, payload: CanaryGiven) -> Status[Any]:
    """Register a project with its lock; releases that the lock needs beside are added."""
    form, lock = _lock_of(payload)
    canary = register_canary(
        actor=request.user, name=payload.name, form=form, lock=lock, url=payload.url
    )
    response["Location"] = f"{request.path}{canary.pk}/"
    return Status(201, _shown(request, response, canary, is_new=True))


@router.get(
    "/{int:id}/",
    response={200: CanaryShown, **refusals(401, 404)},
    summary="Read a registered project",
)
def read_canary(request: HttpRequest, response: HttpResponse, id: int) -> Any:
    """Return a project of yours with its lock."""
    return _shown(request, response, _canary_or_404(request, id))


@router.put(
    "/{int:id}/", response={200: CanaryShown, **REFUSED}, summary="Give a project its new lock"
)
def move_canary(request: HttpRequest, response: HttpResponse, id: int, payload: CanaryGiven) -> Any:
    """Replace a project's name and lock; what differs from the new lock is told from now on."""
    canary = _canary_or_404(request, id)
    form, lock = _lock_of(payload)
    former = canary.webhook.url if canary.webhook else None
    moved = replace_canary(
        actor=request.user,
        canary=canary,
        name=payload.name,
        form=form,
        lock=lock,
        url=payload.url if "url" in payload.model_fields_set else former,
        expected=expected_parts(request, canary.pk),
    )
    return _shown(request, response, moved, is_new=former is None)


@router.delete("/{int:id}/", response={204: None, **REFUSED}, summary="Remove a project")
def remove_canary(request: HttpRequest, id: int) -> Status[None]:
    """Remove a project of yours; it is told nothing any more."""
    read_nothing(request)
    canary = _canary_or_404(request, id)
    delete_canary(actor=request.user, canary=canary, expected=expected_parts(request, canary.pk))
    return Status(204, None)


@router.get(
    "/{int:id}/changes/",
    response={200: LockChanges, **refusals(401, 404)},
    summary="Compare a lock with what is current",
)
def list_lock_changes(request: HttpRequest, id: int) -> dict[str, Any]:
    """Return the locked releases that aren't current now, with the causes."""
    return {"items": canary_changes(_canary_or_404(request, id))}


def _lock_of(payload: CanaryGiven) -> tuple[str, Any]:
    given = {form: lock for form in _FORMS if (lock := getattr(payload, form)) is not None}
    if len(given) != 1:
        message = _("Send the lock in one form: pylock, requirements or releases.")
        raise Refusal("no_lock", message, field=PYLOCK)
    return next(iter(given.items()))


def _canary_or_404(request: HttpRequest, canary_id: int) -> Canary:
    return or_404(canary_of(request.user, canary_id))


def _shown(
    request: HttpRequest, response: HttpResponse, canary: Canary, *, is_new: bool = False
) -> Any:
    """Return a project with its ETag: its version, and a hash of all that is shown of it.

    A new webhook's secret is shown once.
    """
    shown = CanaryShown.model_validate(canary_row(canary))
    digest = etag_of_content(content_of(shown)).strip('"')
    if is_new and canary.webhook:
        shown = shown.model_copy(update={"secret": canary.webhook.secret})
    return tagged(request, response, shown, f'"{canary.pk}-{canary.version}-{digest}"')
