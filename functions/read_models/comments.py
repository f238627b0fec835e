"""Read models of comments and threads, for one reader."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber
from django.utils.translation import gettext as _

from functions.models import Comment, Function, Implementation, Test, Vote
from functions.permissions import (
    OF_SAME_PERSON,
    SIGN_IN_TO_VOTE,
    is_author,
    may_edit_comment,
    may_hide_comment,
    may_read_comment,
    may_vote_on_comment,
)
from functions.read_models.cursors import MAX_ID, BadCursor, decode_cursor, encode_cursor
from functions.read_models.prepared_queries import Parameter, PreparedQuery
from runner.registry import Actor

NEWEST, BEST = "newest", "best"
ORDERS = (NEWEST, BEST)
MAX_SCORE = 2**31

Subject = Function | Implementation | Test
Counts = Mapping[tuple[str, int], int]  # number of comments by the item's (noun, id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The item that a comment is on, with its label and anchor on the function's page."""

    noun: str
    id: int
    label: str  # a function's name, `#7`, `T9`
    title: str
    anchor: str  # empty, `I7`, `T9`


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentShown:
    """A comment for one reader; `text` is None if they may not read it."""

    id: int
    thread: int  # id of the thread's first comment
    function: str
    place: Place
    is_reply: bool
    author: str
    text: str | None
    score: int
    agent_score: int  # of the votes that are counted apart
    replies: int
    created_at: datetime
    edited_at: datetime | None
    is_deleted: bool
    is_hidden: bool
    hidden_by: str
    hidden_reason: str
    own_vote: int  # the reader's vote: 1, 0 or -1
    is_own: bool
    may_vote: bool
    may_reply: bool
    may_edit: bool
    may_hide: bool

    @property
    def noun(self) -> str:
        return Comment.noun

    @property
    def parent(self) -> int | None:
        """Id of the comment that this one replies to."""
        return self.thread if self.is_reply else None

    @property
    def label(self) -> str:
        return _("%(author)s’s comment") % {"author": self.author}

    @property
    def why_not(self) -> str:
        """Why the reader can't vote on it; empty if they can."""
        if self.may_vote:
            return ""
        if self.is_own:
            return _("You can't vote on your own comment")
        if self.may_reply and not self.is_hidden:
            return _(OF_SAME_PERSON)
        return _("You can't vote on hidden comments") if self.is_hidden else _(SIGN_IN_TO_VOTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentList:
    """A page of comments; `next` is the next page's cursor."""

    comments: tuple[CommentShown, ...]
    next: str | None


def comment_counts(function: Function) -> Counts:
    """Return the numbers of comments on a function and its works, in one query."""
    return {_key(function.pk, *on): count for *on, count in _COUNTS.rows(function=function.pk)}


def _counts() -> QuerySet[Comment, tuple[Any, ...]]:
    standing = Comment.objects.filter(function=Parameter("function"), deleted_at=None).order_by()
    return standing.values_list("implementation", "test").annotate(count=Count("id"))


_COUNTS = PreparedQuery(_counts)


def place_of(subject: Subject) -> Place:
    """Return the read model of an item with comments."""
    if isinstance(subject, Function):
        return Place(noun="function", id=subject.pk, label=subject.name, title="", anchor="")
    letter = "T" if isinstance(subject, Test) else "I"
    return Place(
        noun=subject.noun,
        id=subject.pk,
        label=str(subject),
        title=subject.title,
        anchor=f"{letter}{subject.number}",
    )


def work_at(function: Function, anchor: str) -> Implementation | Test | None:
    """Return the published work with this anchor on the function's page: `I7`, `T9`."""
    number = anchor[1:]
    if not (number.isascii() and number.isdecimal() and len(number) < len(str(MAX_SCORE))):
        return None
    works: Any = {"I": function.implementations, "T": function.tests}.get(anchor[0])
    if works is None:
        return None
    # Published works have numbers.
    found: Implementation | Test | None
    found = works.select_related("function").filter(number=int(number)).first()
    return found


def thread_list(
    function: Function,
    actor: Actor,
    *,
    on: Subject | None = None,
    order: str = NEWEST,
    cursor: str = "",
    limit: int = 50,
) -> CommentList:
    """Return the first comments of threads, of a function or of one item (`on`).

    Raises BadCursor.
    """
    shown = Q(parent=None) & (Q(deleted_at=None) | Q(replies__gt=0))
    found = Comment.objects.filter(shown, function=function)
    if on is not None:
        work = None if isinstance(on, Function) else on
        found = found.filter(
            implementation=work if isinstance(work, Implementation) else None,
            test=work if isinstance(work, Test) else None,
        )
    if order == BEST:
        found = _after_score(found, cursor).order_by("-score", "-id")
    else:
        found = _after_id(found, cursor, "id__lt").order_by("-id")
    rows = list(_shown(found, actor)[: limit + 1])
    place = (rows[limit - 1].score, rows[limit - 1].pk) if len(rows) > limit else None
    return CommentList(
        comments=tuple(comment_shown(row, actor) for row in rows[:limit]),
        next=encode_cursor(*(place if order == BEST else place[1:])) if place else None,
    )


def reply_list(thread: Comment, actor: Actor, *, cursor: str = "", limit: int = 50) -> CommentList:
    """Return the replies of a thread, oldest first. Raises BadCursor."""
    found = Comment.objects.filter(parent=thread, deleted_at=None)
    rows = list(_shown(_after_id(found, cursor, "id__gt"), actor).order_by("id")[: limit + 1])
    return CommentList(
        comments=tuple(comment_shown(row, actor) for row in rows[:limit]),
        next=encode_cursor(rows[limit - 1].pk) if len(rows) > limit else None,
    )


def first_replies(
    threads: Iterable[CommentShown], actor: Actor, *, most: int
) -> dict[int, list[CommentShown]]:
    """Return the first replies of each of these threads, in one query."""
    answered = [thread.id for thread in threads if thread.replies]
    if not answered:
        return {}
    place = Window(RowNumber(), partition_by=F("parent"), order_by="id")
    found = Comment.objects.filter(parent__in=answered, deleted_at=None)
    first = _shown(found, actor).annotate(place=place).filter(place__lte=most).order_by("id")
    by_thread: dict[int, list[CommentShown]] = {}
    for row in first:
        by_thread.setdefault(row.thread_id, []).append(comment_shown(row, actor))
    return by_thread


def comment_row(pk: int, actor: Actor) -> Comment | None:
    """Return a comment of an existing function, loaded for `comment_shown`."""
    found = Comment.objects.filter(pk=pk, function__deleted_at=None)
    return _shown(found, actor).first()


def comment_shown(row: Comment, actor: Actor) -> CommentShown:
    """Return a loaded comment's read model for this reader."""
    is_deleted = row.deleted_at is not None
    is_readable = not is_deleted and may_read_comment(actor, row)
    return CommentShown(
        id=row.pk,
        thread=row.thread_id,
        function=row.function.name,
        place=place_of(row.implementation or row.test or row.function),
        is_reply=row.parent_id is not None,
        author=row.author.get_username(),
        text=row.text if is_readable else None,
        score=row.score,
        agent_score=row.agent_score,
        replies=row.replies,
        created_at=row.created_at,
        edited_at=row.edited_at,
        is_deleted=is_deleted,
        is_hidden=row.hidden_at is not None,
        hidden_by=row.hidden_by.get_username() if row.hidden_by else "",
        hidden_reason=row.hidden_reason,
        own_vote=getattr(row, "own_vote", 0),
        is_own=is_author(actor, row),
        may_vote=may_vote_on_comment(actor, row),
        may_reply=actor.is_authenticated and not is_deleted,
        may_edit=may_edit_comment(actor, row),
        may_hide=may_hide_comment(actor, row),
    )


def _shown(found: QuerySet[Comment], actor: Actor) -> QuerySet[Comment]:
    votes = Vote.objects.filter(comment=OuterRef("pk"), voter_id=actor.pk).values("value")
    with_all = ("function", "implementation", "test", "author", "hidden_by")
    return (
        found.select_related(*with_all)
        .defer("function__description", "implementation__code", "test__code")
        .annotate(own_vote=Coalesce(Subquery(votes[:1]), 0))
    )


def _after_id(found: QuerySet[Comment], cursor: str, lookup: str) -> QuerySet[Comment]:
    if not cursor:
        return found
    (pk,) = decode_cursor(cursor, int)
    _check(pk, MAX_ID)
    return found.filter(**{lookup: pk})


def _after_score(found: QuerySet[Comment], cursor: str) -> QuerySet[Comment]:
    if not cursor:
        return found
    score, pk = decode_cursor(cursor, int, int)
    _check(abs(score), MAX_SCORE - 1)
    _check(pk, MAX_ID)
    return found.filter(Q(score__lt=score) | Q(score=score, id__lt=pk))


def _check(number: int, most: int) -> None:
    if not 0 <= number <= most:
        raise BadCursor("the cursor's position is out of range")


def _key(function: int, implementation: int | None, test: int | None) -> tuple[str, int]:
    if implementation is not None:
        return Implementation.noun, implementation
    return (Test.noun, test) if test is not None else ("function", function)
