"""Read models of a function's discussion and of a thread, each from one snapshot."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from functions.models import Comment, Function
from functions.read_models.comments import (
    NEWEST,
    CommentShown,
    Counts,
    Place,
    Subject,
    comment_counts,
    comment_row,
    comment_shown,
    first_replies,
    place_of,
    reply_list,
    thread_list,
)
from functions.read_models.cursors import encode_cursor
from functions.read_models.links import FunctionLink, links_named
from functions.read_models.snapshot import snapshot
from functions.source.markers import names_in
from runner.events.topics import head
from runner.registry import Actor

THREADS_SHOWN = 20
REPLIES_SHOWN = 5
REPLIES_OF_ONE_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A comment with its first replies, and the number of further ones (`more`)."""

    comment: CommentShown
    replies: tuple[CommentShown, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscussionPage:
    """A page of threads; `seq` is the last event that it includes."""

    function: Function
    place: Place | None  # the item that the threads are on; None: all items
    order: str
    threads: tuple[Thread, ...]
    next: str | None
    counts: Counts
    links: Mapping[str, FunctionLink]
    topic: str
    epoch: int
    seq: int

    @property
    def count(self) -> int:
        """Number of comments, including replies."""
        if self.place is None:
            return sum(self.counts.values())
        return self.counts.get((self.place.noun, self.place.id), 0)


def discussion_page(
    function: Function,
    actor: Actor,
    *,
    on: Subject | None = None,
    order: str = NEWEST,
    cursor: str = "",
) -> DiscussionPage:
    """Return the threads of a function and its works, or of one item.

    Raises BadCursor.
    """
    with snapshot():
        position = head(function.topic)
        listed = thread_list(
            function, actor, on=on, order=order, cursor=cursor, limit=THREADS_SHOWN
        )
        replies = first_replies(listed.comments, actor, most=REPLIES_SHOWN)
        threads = [_thread(one, replies.get(one.id, ())) for one in listed.comments]
        return DiscussionPage(
            function=function,
            place=place_of(on) if on else None,
            order=order,
            threads=tuple(threads),
            next=listed.next,
            counts=comment_counts(function),
            links=_links(threads),
            topic=function.topic,
            epoch=position.epoch,
            seq=position.seq,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadPage:
    """A thread; `next` is the cursor of further replies."""

    function: Function
    thread: Thread
    next: str | None
    links: Mapping[str, FunctionLink]
    topic: str
    epoch: int
    seq: int


def thread_page(comment: Comment, actor: Actor, *, cursor: str = "") -> ThreadPage | None:
    """Return the thread of this first comment; None if all of it was deleted.

    Raises BadCursor.
    """
    with snapshot():
        position = head(comment.function.topic)
        row = comment_row(comment.pk, actor)
        if row is None or (row.deleted_at is not None and not row.replies):
            return None
        listed = reply_list(row, actor, cursor=cursor, limit=REPLIES_OF_ONE_SHOWN)
        thread = Thread(comment=comment_shown(row, actor), replies=listed.comments, more=0)
        return ThreadPage(
            function=row.function,
            thread=thread,
            next=listed.next,
            links=_links([thread]),
            topic=row.function.topic,
            epoch=position.epoch,
            seq=position.seq,
        )


def cursor_to(reply: Comment) -> str:
    """Return the cursor of the page with this reply; empty if it is on the first one."""
    before = Comment.objects.filter(parent=reply.parent_id, deleted_at=None, id__lt=reply.pk)
    return encode_cursor(reply.pk - 1) if before.count() >= REPLIES_OF_ONE_SHOWN else ""


def _thread(comment: CommentShown, replies: Iterable[CommentShown]) -> Thread:
    shown = tuple(replies)
    return Thread(comment=comment, replies=shown, more=max(0, comment.replies - len(shown)))


def _links(threads: Iterable[Thread]) -> dict[str, FunctionLink]:
    texts = (
        comment.text or "" for thread in threads for comment in (thread.comment, *thread.replies)
    )
    return links_named({name for text in texts for name in names_in(text)})
