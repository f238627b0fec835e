"""Use cases of comments: written, edited and deleted by authors, hidden by owners."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.audit import record_act
from functions.errors import Conflict, NotFound, Refusal, TooOften
from functions.locks import lock_discussion
from functions.models import AuditEntry, Comment, Function, Implementation, Notice, Test, Work
from functions.notifications.watches import notify_watchers
from functions.permissions import (
    require_account,
    require_comment_author,
    require_moderator,
    require_visible,
)
from functions.request_limits import COMMENTS
from functions.source.validation import check_text
from functions.webhooks.events import announce, comment_added
from runner.pipelines.outbox import append_event
from runner.registry import Actor

MAX_COMMENT_LENGTH = 10_000
MAX_REASON_LENGTH = 500
# The same text within this time counts as a form submitted twice.
SENT_TWICE = timedelta(minutes=1)

Subject = Function | Implementation | Test


def write_comment(*, actor: Actor, subject: Subject, text: str) -> Comment:
    """Comment on a function, or on a published or withdrawn work."""
    author = _writer(actor, text)
    with transaction.atomic():
        place: dict[str, Any] = {"implementation_id": None, "test_id": None, "parent_id": None}
        if isinstance(subject, Function):
            place["function_id"] = subject.pk
        else:
            _require_published(author, subject)
            place |= {"function_id": subject.function_id, f"{subject.noun}_id": subject.pk}
        _lock(place["function_id"])
        return _write(author, text, place)


def reply_to(*, actor: Actor, comment: Comment, text: str) -> Comment:
    """Reply to a comment that is not a reply itself."""
    author = _writer(actor, text)
    with transaction.atomic():
        thread = _locked(comment)
        if thread.parent_id is not None:
            raise Refusal(
                "reply_to_reply",
                _("Replies are one level deep. Reply to comment %(comment)s instead.")
                % {"comment": thread.parent_id},
                field="text",
            )
        places = ("function_id", "implementation_id", "test_id")
        place = {name: getattr(thread, name) for name in places} | {"parent_id": thread.pk}
        return _write(author, text, place)


def edit_comment(*, actor: Actor, comment: Comment, text: str) -> Comment:
    """Edit a comment; the time of the edit is shown."""
    require_comment_author(actor, comment)
    _writer(actor, text)
    with transaction.atomic():
        locked = _locked(comment)
        if locked.text == text:
            return locked
        locked.text, locked.edited_at = text, timezone.now()
        locked.save(update_fields=["text", "edited_at"])
        publish_change(locked, "edited")
    return locked


@transaction.atomic
def delete_comment(*, actor: Actor, comment: Comment) -> None:
    """Delete a comment's text; a placeholder is shown as long as it has replies."""
    require_comment_author(actor, comment)
    locked = _locked(comment)
    locked.text, locked.deleted_at = "", timezone.now()
    locked.save(update_fields=["text", "deleted_at"])
    _count_replies(locked, -1)
    publish_change(locked, "deleted")


@transaction.atomic
def hide_comment(*, actor: Actor, comment: Comment, reason: str) -> Comment:
    """Hide a comment, as the function's owner, for a reason that is shown."""
    moderator = require_moderator(actor, comment.function)
    check_text(reason, field="reason", longest=MAX_REASON_LENGTH)
    if not reason.strip():
        message = _("Give a reason, which is shown in place of the comment.")
        raise Refusal("empty_reason", message, field="reason")
    locked = _locked(comment)
    if locked.hidden_at is not None and locked.hidden_reason == reason:
        return locked
    locked.hidden_at, locked.hidden_by, locked.hidden_reason = timezone.now(), moderator, reason
    locked.save(update_fields=["hidden_at", "hidden_by", "hidden_reason"])
    publish_change(locked, "hidden")
    _log(moderator, AuditEntry.Act.COMMENT_HIDDEN, locked, reason)
    return locked


@transaction.atomic
def unhide_comment(*, actor: Actor, comment: Comment) -> Comment:
    """Show a hidden comment again."""
    moderator = require_moderator(actor, comment.function)
    locked = _locked(comment)
    if locked.hidden_at is None:
        return locked
    locked.hidden_at, locked.hidden_by, locked.hidden_reason = None, None, ""
    locked.save(update_fields=["hidden_at", "hidden_by", "hidden_reason"])
    publish_change(locked, "shown")
    _log(moderator, AuditEntry.Act.COMMENT_SHOWN, locked)
    return locked


def publish_change(comment: Comment, change: str) -> None:
    """Publish that a comment was written, edited, deleted, hidden or shown.

    Called in the transaction of the change, with the discussion locked. The event has no text, as
    that would remain readable after the comment is hidden.
    """
    noun, pk = "function", comment.function_id
    if comment.implementation_id is not None:
        noun, pk = "implementation", comment.implementation_id
    elif comment.test_id is not None:
        noun, pk = "test", comment.test_id
    about = {"function_id": comment.function_id, "deleted_at": None}
    there = Comment.objects.filter(
        implementation=comment.implementation_id, test=comment.test_id, **about
    )
    payload = {
        "item": noun,
        "id": pk,
        "comment": comment.pk,
        "thread": comment.thread_id,
        "change": change,
        "count": there.count(),
    }
    append_event(comment.function.topic, "comment.changed", payload)


def _writer(actor: Actor, text: str) -> User:
    """Validate and count a comment, and return its author; called outside of transactions."""
    author = require_account(actor)
    check_text(text, field="text", longest=MAX_COMMENT_LENGTH)
    if not text.strip():
        raise Refusal("empty_comment", _("The comment is empty."), field="text")
    if not COMMENTS.count(f"user {author.pk}"):
        raise TooOften(
            _("You have written %(count)s comments within ten minutes; wait a while.")
            % {"count": COMMENTS.tries},
            retry_after_seconds=COMMENTS.retry_after_seconds(),
        )
    return author


def _require_published(author: User, work: Implementation | Test) -> None:
    require_visible(author, work)
    if work.state == Work.State.DRAFT:
        sentences = {
            Implementation.noun: _(
                "This implementation is a draft; nobody else could see your comment."
            ),
            Test.noun: _("This test is a draft; nobody else could see your comment."),
        }
        raise Conflict("not_published", sentences[work.noun])


def _lock(function_id: int) -> None:
    """Lock the function's discussion. Raises NotFound if the function was deleted."""
    lock_discussion(function_id)
    if not Function.objects.filter(pk=function_id, deleted_at=None).exists():
        raise NotFound("not_found", _("This function and its discussion were deleted."))


def _locked(comment: Comment) -> Comment:
    """Lock the discussion and return the comment's current row, unless it is deleted."""
    _lock(comment.function_id)
    locked = Comment.objects.select_related("function").get(pk=comment.pk)
    if locked.deleted_at is not None:
        raise Conflict("comment_deleted", _("This comment was deleted."))
    return locked


def _write(author: User, text: str, place: dict[str, Any]) -> Comment:
    former = Comment.objects.filter(author=author, **place).order_by("-id").first()
    if former and former.text == text and former.created_at > timezone.now() - SENT_TWICE:
        return former
    comment = Comment.objects.create(author=author, text=text, **place)
    _count_replies(comment, 1)
    publish_change(comment, "written")
    noun = "reply" if comment.parent_id else "comment"
    work = comment.implementation or comment.test
    notify_watchers(
        function=comment.function,
        kind=Notice.Kind.COMMENT,
        text=" on ".join(filter(None, [f"has a new {noun}", str(work or "")])),
        actor=author,
        subject=comment,
    )
    announce([comment_added(comment)], owner=author.pk)
    return comment


def _log(moderator: User, act: AuditEntry.Act, comment: Comment, reason: str = "") -> None:
    record_act(
        moderator,
        act,
        function=comment.function,
        kind=comment.noun,
        item_id=comment.pk,
        label=f"{comment.noun} {comment}",
        reason=reason,
    )


def _count_replies(comment: Comment, more: int) -> None:
    """Update the number of replies in the thread's first comment, if this is a reply."""
    if comment.parent_id is not None:
        thread = Comment.objects.filter(pk=comment.parent_id)
        thread.update(replies=F("replies") + more)
