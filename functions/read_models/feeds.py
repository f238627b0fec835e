"""Entries of feeds: what happened to functions, and what a person did, newest first."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.urls import reverse

from functions.models import Comment, Dependency, Election, Function, Implementation, Test, Work
from functions.models.release import Release
from functions.read_models.snapshot import snapshot

MAX_ENTRIES = 50
# Of a person's dependencies, those used longest.
MAX_FUNCTIONS = 500
SHOWN_OF_COMMENT = 500
_PUBLISHED = ~Q(state=Work.State.DRAFT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something that happened; `key` names it for ever."""

    key: str
    at: datetime
    title: str
    text: str
    url: str
    author: str


def entries_of_function(function: Function) -> list[Entry]:
    """Return what happened to a function: elections, breakages, works, comments."""
    return _entries([function.pk])


def entries_of_dependencies(user: User) -> list[Entry]:
    """Return what happened to the functions that a person's published works use."""
    named = Dependency.objects.filter(
        Q(implementation__author=user, implementation__state=Work.State.PUBLISHED)
        | Q(test__author=user, test__state=Work.State.PUBLISHED),
        target__deleted_at=None,
    )
    ids = named.exclude(target=None).order_by("target").values_list("target", flat=True).distinct()
    return _entries(list(ids[:MAX_FUNCTIONS]))


def entries_of_person(user: User) -> list[Entry]:
    """Return what a person defined, published and wrote, and which of it was elected."""
    living = {"function__deleted_at": None}
    with snapshot():
        defined = Function.objects.filter(owner=user, deleted_at=None).order_by("-created_at")
        return _newest(
            [
                *(_definition(function, user) for function in defined[:MAX_ENTRIES]),
                *_works(Implementation.objects.filter(_PUBLISHED, author=user, **living)),
                *_works(Test.objects.filter(_PUBLISHED, author=user, **living)),
                *_comments(Comment.objects.filter(author=user, **living)),
                *_elections(Election.objects.filter(elected__author=user, **living)),
            ]
        )


def _entries(functions: Sequence[int]) -> list[Entry]:
    of_functions = {"function__in": functions, "function__deleted_at": None}
    with snapshot():
        return _newest(
            [
                *_elections(Election.objects.filter(**of_functions)),
                *_breakages(Release.objects.filter(**of_functions).exclude(yanked_at=None)),
                *_works(Implementation.objects.filter(_PUBLISHED, **of_functions)),
                *_works(Test.objects.filter(_PUBLISHED, **of_functions)),
                *_comments(Comment.objects.filter(**of_functions)),
            ]
        )


def _newest(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: (entry.at, entry.key), reverse=True)[:MAX_ENTRIES]


def _definition(function: Function, owner: User) -> Entry:
    return Entry(
        key=f"function/{function.pk}",
        at=function.created_at,
        title=f"{function.name} was defined",
        text=function.description,
        url=function.get_absolute_url(),
        author=owner.get_username(),
    )


def _elections(rows: QuerySet[Election]) -> Iterator[Entry]:
    found = rows.select_related("function", "elected__author").defer("elected__code")
    for election in found.order_by("-pk")[:MAX_ENTRIES]:
        name, elected = election.function.name, election.elected
        is_lost = elected is None
        yield Entry(
            key=f"election/{election.pk}",
            at=election.created_at,
            title=f"{name} has no current implementation any more"
            if is_lost
            else f"{name}: {elected} became current",
            text=election.cause,
            url=reverse("why", args=[name]),
            author=elected.author.get_username() if elected else "",
        )


def _breakages(rows: QuerySet[Release]) -> Iterator[Entry]:
    """Yield an entry for the last of the releases that were yanked together."""
    seen = set()
    found = rows.select_related("function").order_by("-yanked_at", "-number")
    for release in found[:MAX_ENTRIES]:
        if (together := (release.function_id, release.yanked_at)) not in seen:
            seen.add(together)
            yield Entry(
                key=f"yanked/{release.pk}",
                at=release.yanked_at or release.created_at,
                title=f"{release.name}: releases were yanked",
                text=f"{release.get_yanked_display()}; the last was {release.number}",
                url=reverse("export", args=[release.function.name]),
                author="",
            )


def _works(rows: QuerySet[Implementation] | QuerySet[Test]) -> Iterator[Entry]:
    found = rows.select_related("function", "author").order_by("-published_at", "-pk")
    for work in found[:MAX_ENTRIES]:
        title = f" {work.title}" if work.title else ""
        yield Entry(
            key=f"{work.noun}/{work.pk}",
            at=work.published_at or work.created_at,
            title=f"{work.function.name}: new {work.noun} {work}{title}",
            text=work.code,
            url=work.get_absolute_url(),
            author=work.author.get_username(),
        )


def _comments(rows: QuerySet[Comment]) -> Iterator[Entry]:
    found = rows.filter(deleted_at=None, hidden_at=None).select_related("function", "author")
    for comment in found.order_by("-pk")[:MAX_ENTRIES]:
        yield Entry(
            key=f"comment/{comment.pk}",
            at=comment.created_at,
            title=f"{comment.function.name}: a comment by {comment.author}",
            text=comment.text[:SHOWN_OF_COMMENT],
            url=comment.get_absolute_url(),
            author=comment.author.get_username(),
        )
