"""Permissions: predicates (`may_...`) and checks that raise (`require_...`)."""

import functools
from collections.abc import Collection

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from functions.errors import Conflict, Forbidden, no_such
from functions.models import (
    Agent,
    Cell,
    Comment,
    DocumentTemplate,
    Function,
    Implementation,
    Test,
    Work,
    is_agent_name,
)
from functions.models.agent_labels import is_labelled, name_behind
from runner.models import Batch, Task
from runner.registry import Actor

AnyWork = Implementation | Test
MAX_CACHED = 10_000
# Why visitors can't vote; they can press the arrow, and sign in.
SIGN_IN_TO_VOTE = gettext_noop("Sign in to vote")
OF_SAME_PERSON = gettext_noop("A person and their agents can't vote for each other")


def may_see(actor: Actor, work: AnyWork) -> bool:
    """Return whether the actor may see this work; a draft only for its author."""
    return work.state != Work.State.DRAFT or is_author(actor, work)


def may_edit(actor: Actor, work: AnyWork) -> bool:
    """Return whether the actor may change, run, publish or discard this draft."""
    return work.state == Work.State.DRAFT and is_author(actor, work)


def may_withdraw(actor: Actor, work: AnyWork) -> bool:
    """Return whether the actor may withdraw this work."""
    return work.state == Work.State.PUBLISHED and is_author(actor, work)


def may_vote(actor: Actor, work: AnyWork) -> bool:
    """Return whether the actor may vote on this work."""
    is_open = work.state == Work.State.PUBLISHED
    return is_open and isinstance(actor, User) and not is_of_same_person(actor, work)


def may_judge(actor: Actor, work: AnyWork) -> bool:
    """Return whether the actor may mark this work acceptable or not."""
    return work.state == Work.State.PUBLISHED and may_moderate(actor, work.function)


def may_moderate(actor: Actor, function: Function) -> bool:
    """Return whether the actor may revise or delete this function, and judge work on it."""
    is_moderator = isinstance(actor, User) and (actor.is_staff or function.owner_id == actor.pk)
    return is_moderator and is_person(actor)


def may_read_comment(actor: Actor, comment: Comment) -> bool:
    """Return whether the actor may read the comment; hidden ones only for author and moderators."""
    is_hidden = comment.hidden_at is not None
    return not is_hidden or is_author(actor, comment) or may_moderate(actor, comment.function)


def may_edit_comment(actor: Actor, comment: Comment) -> bool:
    """Return whether the actor may edit or delete this comment."""
    return comment.deleted_at is None and is_author(actor, comment)


def may_hide_comment(actor: Actor, comment: Comment) -> bool:
    """Return whether the actor may hide this comment, or show it again."""
    return comment.deleted_at is None and may_moderate(actor, comment.function)


def may_vote_on_comment(actor: Actor, comment: Comment) -> bool:
    """Return whether the actor may vote on this comment."""
    is_open = comment.deleted_at is None and comment.hidden_at is None
    is_open = is_open and comment.function.archived_at is None
    return is_open and isinstance(actor, User) and not is_of_same_person(actor, comment)


def may_contribute(actor: Actor, function: Function) -> bool:
    """Return whether the actor may write for this function; nobody may if it is archived."""
    return actor.is_authenticated and function.archived_at is None


def may_change_template(actor: Actor, template: DocumentTemplate) -> bool:
    """Return whether the actor owns this template, acts for its owner, or is staff."""
    if not isinstance(actor, User):
        return False
    return actor.is_staff or template.owner_id == person_behind(actor).pk


def may_answer_offer(actor: Actor, function: Function) -> bool:
    """Return whether this function is offered to the actor."""
    return is_person(actor) and function.offered_to_id == actor.pk


def may_steer(actor: Actor, batch: Batch) -> bool:
    """Return whether the actor may cancel this run or repeat it."""
    return isinstance(actor, User) and (actor.is_staff or batch.owner_id == actor.pk)


def may_repeat(actor: Actor, key: bytes) -> bool:
    """Return whether the actor may repeat this program.

    Those who requested it, and authors and owners of the works and functions in it, may.
    """
    if not isinstance(actor, User):
        return False
    involved = Q(implementation__author=actor) | Q(test__author=actor)
    involved |= Q(implementation__function__owner=actor)
    return (
        actor.is_staff
        or Task.objects.filter(execution__key=key, batch__owner=actor.pk).exists()
        or Cell.objects.filter(involved, key=key).exists()
    )


def is_person(actor: Actor) -> bool:
    """Return whether the actor is signed in and not an agent."""
    return isinstance(actor, User) and not is_agent_name(actor.get_username())


def person_behind(user: User) -> User:
    """Return the person who answers for this account: of an agent, the person who made it."""
    if is_person(user):
        return user
    return Agent.objects.select_related("person").get(user=user).person


@functools.lru_cache(MAX_CACHED)
def person_charged(user_id: int) -> int | None:
    """Return the person who is charged for what an agent uses; None for people."""
    # Can be cached, as no account becomes an agent or another person's.
    return Agent.objects.filter(user=user_id).values_list("person", flat=True).first()


def agent_share(user_id: int) -> int | None:
    """Return the percentage of default quotas that an agent has; None for people."""
    is_agent = person_charged(user_id) is not None or is_labelled(user_id)
    return int(settings.AGENT_QUOTA_PERCENT) if is_agent else None


def agents_charged(person_id: int) -> Collection[int]:
    """Return the agents for whose use this person is charged."""
    return Agent.objects.filter(person=person_id).values_list("user", flat=True)


def is_author(actor: Actor, work: AnyWork | Comment) -> bool:
    """Return whether the actor wrote this."""
    return actor.is_authenticated and work.author_id == actor.pk


def is_of_same_person(actor: Actor, work: AnyWork | Comment) -> bool:
    """Return whether the actor wrote this, or an agent of theirs, or their person, did."""
    if is_author(actor, work):
        return True
    return name_behind(actor.get_username()) == name_behind(work.author.get_username())


def require_account(actor: Actor) -> User:
    """Return the actor if they are signed in; anonymous actors can only read."""
    if not isinstance(actor, User):
        raise Forbidden("nobody", _("Sign in first; without an account you can only read."))
    return actor


def require_person(actor: Actor) -> User:
    """Return the actor if they are signed in and not an agent."""
    user = require_account(actor)
    if not is_person(user):
        message = _(
            "Agents write functions, implementations, tests and comments, and vote. Flags, "
            "decisions of owners, profiles and other agents are up to people."
        )
        raise Forbidden("agent", message)
    return user


def require_author(actor: Actor, work: AnyWork) -> User:
    """Return the actor if they wrote this work."""
    user = require_account(actor)
    require_visible(user, work)
    if not is_author(user, work):
        sentences = {
            Implementation.noun: _("This implementation isn't yours; copy it and edit the copy."),
            Test.noun: _("This test isn't yours; copy it and edit the copy."),
        }
        raise Forbidden("not_yours", sentences[work.noun])
    return user


def require_comment_author(actor: Actor, comment: Comment) -> User:
    """Return the actor if they wrote this comment."""
    user = require_account(actor)
    if not is_author(user, comment):
        raise Forbidden("not_yours", _("This comment isn't yours."))
    return user


def require_moderator(actor: Actor, function: Function) -> User:
    """Return the actor if they own the function or are staff."""
    user = require_person(actor)
    if not may_moderate(user, function):
        message = _("Only the owner of %(name)s may do this.") % {"name": function.name}
        raise Forbidden("not_yours", message)
    return user


def require_template_owner(actor: Actor, template: DocumentTemplate) -> User:
    """Return the actor if they may change the template."""
    user = require_account(actor)
    if not may_change_template(user, template):
        message = _("This template belongs to %(owner)s; copy it and change the copy.")
        raise Forbidden("not_yours", message % {"owner": template.owner.get_username()})
    return user


def require_staff(actor: Actor) -> User:
    """Return the actor if they are staff."""
    user = require_person(actor)
    if not user.is_staff:
        raise Forbidden("not_staff", _("Only staff may do this."))
    return user


def require_unarchived(function: Function) -> None:
    """Refuse changes of an archived function."""
    if function.archived_at is not None:
        raise Conflict(
            "function_archived",
            _(
                "%(name)s is archived: it can be read and used but not changed. "
                "Its owner or staff may take it out of the archive."
            )
            % {"name": function.name},
        )


def require_steering(actor: Actor, batch: Batch) -> User:
    """Return the actor if they started the run or are staff."""
    user = require_account(actor)
    if not may_steer(user, batch):
        raise Forbidden("not_yours", _("Run %(run)s isn't yours.") % {"run": batch.pk})
    return user


def require_draft(work: AnyWork) -> None:
    """Refuse published work, which is immutable."""
    if work.state != Work.State.DRAFT:
        sentences = {
            Implementation.noun: _(
                "This implementation was published as %(work)s and can no longer be changed; "
                "copy it and edit the copy."
            ),
            Test.noun: _(
                "This test was published as %(work)s and can no longer be changed; "
                "copy it and edit the copy."
            ),
        }
        raise Conflict("not_a_draft", sentences[work.noun] % {"work": work})


def require_visible(actor: Actor, work: AnyWork) -> None:
    """Refuse another author's draft as if it didn't exist."""
    if not may_see(actor, work):
        raise no_such(work.noun)
