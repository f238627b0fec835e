"""Endpoints of people and their activity."""

from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema, Status
from pydantic import Field, StrictBool

from functions.api.authentication import SOMEBODY
from functions.api.bodies import Cursor, Limit, Text
from functions.api.moderation_schemas import Reason
from functions.api.preconditions import expected_parts, tagged
from functions.api.problems import refusals
from functions.api.schemas import Answer, OrNull, path
from functions.models import Profile
from functions.notifications.person_watches import watch_person
from functions.people.profiles import change_profile, clear_profile
from functions.permissions import require_account
from functions.read_models.activity import ActivityPage, activity_of
from functions.read_models.not_found import or_404
from functions.read_models.notifications import people_watched, watching_of_person
from functions.read_models.person import (
    agent_label,
    agent_of,
    agents_shown,
    person_named,
    person_totals,
    profile_shown,
)

router = Router(tags=["people"])
own_profile = Router(tags=["people"], auth=SOMEBODY)
watched_people = Router(tags=["people"], auth=SOMEBODY)


class ProfileShown(Answer):
    """A person's profile; empty while they are suspended."""

    about: str = Field(description="plain text, to be escaped where it is shown")
    links: list[str]


class PersonShown(ProfileShown):
    """A person with totals, without drafts and works of deleted functions."""

    username: str
    joined_at: datetime
    agent_of: OrNull = Field(description="the person behind an agent; null for people")
    agent_label: OrNull = Field(
        description="of an agent, who says so: owner (the person who made it), holder (the account "
        "itself) or staff"
    )
    agents: list[str] = Field(description="a person's agents, by name")
    functions: int = Field(description="owned")
    implementations: int
    tests: int
    current: int = Field(description="number of their implementations that are current")
    dependents: int = Field(description="number of functions that import those")
    score: int = Field(description="sum of the votes on their works")
    caught: int = Field(
        description="number of their tests that count and that some implementation doesn't pass"
    )


class ActivityShown(Answer):
    """A function defined or a work published; a work's fields are null for a function."""

    kind: str = Field(validation_alias="noun", description="function, implementation or test")
    at: datetime
    function: str = path("function", "name")
    id: int
    number: int | None
    title: str | None
    state: str | None = Field(description="published or withdrawn")
    score: int | None
    current: bool = Field(validation_alias="is_current")


class ActivityList(Answer):
    """A page of activities; `next` is the cursor of the next page."""

    items: list[ActivityShown] = Field(validation_alias="rows")
    next: str | None


class ActivityQuery(Schema):
    """Filters and page of activities."""

    show: Literal["", "functions", "implementations", "tests", "current"] = Field(
        "", description="only this kind; `current`: current implementations"
    )
    cursor: Cursor = ""
    limit: Limit = 50


class ProfileChange(Schema):
    """Your new profile, which replaces the former one."""

    about: Text = Field("", description="at most 300 characters, as plain text")
    links: list[Text] = Field([], max_length=100, description="at most 5, https only")


class PersonWatchShown(Answer):
    """Your watch of a person, and their number of watchers."""

    username: str
    watching: bool
    watchers: int


class PersonShort(Answer):
    """A person in a list."""

    username: str
    joined_at: datetime = Field(validation_alias="date_joined")


class PeopleList(Answer):
    """All people that you watch, the last watched first."""

    items: list[PersonShort]


class PersonWatchChange(Schema):
    """The choice to watch a person, or to stop."""

    watching: StrictBool


@router.get("/{username}/", response={200: PersonShown, **refusals(404)}, summary="Read a person")
def read_person(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    username: str,
) -> PersonShown:
    """Return a person's profile and totals."""
    user = _person_or_404(username)
    profile = profile_shown(user)
    return PersonShown(
        username=user.get_username(),
        joined_at=user.date_joined,
        agent_of=agent_of(user),
        agent_label=agent_label(user),
        agents=list(agents_shown(user)),
        about=profile.about,
        links=profile.links,
        **asdict(person_totals(user)),
    )


@router.get(
    "/{username}/activity/",
    response={200: ActivityList, **refusals(400, 404)},
    summary="List a person's activities",
)
def list_activity(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    username: str,
    query: Query[ActivityQuery],
) -> ActivityPage:
    """Return the functions and works that a person published, newest first."""
    return activity_of(_person_or_404(username), **query.model_dump())


@router.post(
    "/{username}/clear/",
    auth=SOMEBODY,
    response={204: None, **refusals(400, 401, 403, 404, 409, 413, 422, 429)},
    summary="Clear a profile",
)
def clear(request: HttpRequest, username: str, payload: Reason) -> Status[None]:
    """Remove what an offensive profile says; staff only. The person reads the reason."""
    person = _person_or_404(username)
    clear_profile(actor=request.user, person=person, reason=payload.reason)
    return Status(204, None)


@router.get(
    "/{username}/watch/",
    auth=SOMEBODY,
    response={200: PersonWatchShown, **refusals(401, 404)},
    summary="Read a watch of a person",
)
def read_person_watch(request: HttpRequest, username: str) -> PersonWatchShown:
    """Return whether you watch a person, and their number of watchers."""
    return _watch(request, _person_or_404(username))


@router.put(
    "/{username}/watch/",
    auth=SOMEBODY,
    response={200: PersonWatchShown, **refusals(400, 401, 404, 413, 422, 429)},
    summary="Watch a person",
)
def change_person_watch(
    request: HttpRequest, username: str, payload: PersonWatchChange
) -> PersonWatchShown:
    """Start or stop watching: you are notified of what they define and publish."""
    person = _person_or_404(username)
    watch_person(actor=request.user, person=person, watching=payload.watching)
    return _watch(request, person)


@watched_people.get("/", response={200: PeopleList, **refusals(401)}, summary="List watched people")
def list_watched_people(request: HttpRequest) -> PeopleList:
    """Return the people that you watch; their number is limited."""
    return PeopleList.model_validate({"items": people_watched(require_account(request.user))})


@own_profile.get("/", response={200: ProfileShown, **refusals(401)}, summary="Read your profile")
def read_own_profile(request: HttpRequest, response: HttpResponse) -> Any:
    """Return what you say about yourself, with its ETag."""
    return _tagged_profile(request, response, profile_shown(require_account(request.user)))


@own_profile.put(
    "/",
    response={200: ProfileShown, **refusals(400, 401, 412, 413, 422, 429)},
    summary="Change your profile",
)
def change_own_profile(request: HttpRequest, response: HttpResponse, payload: ProfileChange) -> Any:
    """Replace your words about yourself and your links."""
    expected = expected_parts(request, require_account(request.user).pk)
    changed = change_profile(actor=request.user, expected=expected, **payload.model_dump())
    return _tagged_profile(request, response, changed)


def _tagged_profile(request: HttpRequest, response: HttpResponse, profile: Profile) -> Any:
    etag = f'"{profile.user_id}-{profile.digest}"'
    return tagged(request, response, ProfileShown.model_validate(profile), etag)


def _person_or_404(username: str) -> User:
    return or_404(person_named(username))


def _watch(request: HttpRequest, person: User) -> PersonWatchShown:
    watching = watching_of_person(person, request.user)
    return PersonWatchShown(
        username=person.get_username(), watching=watching.mine, watchers=watching.watchers
    )
