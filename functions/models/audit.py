"""The audit log of acts of moderation; append-only."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_noop

from .function import Function


class AuditEntry(models.Model):
    """One act of an owner, of staff, or of a recipient of an offer.

    Written by `functions.audit`. The database refuses changes and deletions.
    """

    class Act(models.TextChoices):
        # In English, as events and causes of runs keep them; translated where they are shown.
        ACCEPTED = "accepted", gettext_noop("accepted")
        UNACCEPTABLE = "unacceptable", gettext_noop("marked unacceptable")
        LEFT_TO_VOTES = "left_to_votes", gettext_noop("left to the votes")
        COMMENT_HIDDEN = "comment_hidden", gettext_noop("hid")
        COMMENT_SHOWN = "comment_shown", gettext_noop("showed again")
        RESTORED = "restored", gettext_noop("restored a revision")
        RENAMED = "renamed", gettext_noop("renamed")
        ARCHIVED = "archived", gettext_noop("archived")
        UNARCHIVED = "unarchived", gettext_noop("took out of the archive")
        DELETED = "deleted", gettext_noop("deleted")
        OFFERED = "offered", gettext_noop("offered ownership to")
        OFFER_ENDED = "offer_ended", gettext_noop("took back the offer to")
        OFFER_DECLINED = "offer_declined", gettext_noop("declined ownership from")
        OFFER_ACCEPTED = "offer_accepted", gettext_noop("accepted ownership from")
        TRANSFERRED = "transferred", gettext_noop("handed ownership over to")
        FLAG_UPHELD = "flag_upheld", gettext_noop("acted on a flag")
        FLAG_DISMISSED = "flag_dismissed", gettext_noop("dismissed a flag")
        PROFILE_CLEARED = "profile_cleared", gettext_noop("cleared the profile of")
        TEMPLATE_CHANGED = "template_changed", gettext_noop("changed a template of")
        TEMPLATE_DELETED = "template_deleted", gettext_noop("deleted a template of")
        QUOTA_CHANGED = "quota_changed", gettext_noop("changed the quota")
        SUSPENDED = "suspended", gettext_noop("suspended")
        SUSPENSION_LIFTED = "suspension_lifted", gettext_noop("lifted the suspension of")
        AGENT_LABELLED = "agent_labelled", gettext_noop("labelled as an agent")
        AGENT_UNLABELLED = "agent_unlabelled", gettext_noop("removed the label as an agent of")
        ADMIN_ADDED = "admin_added", gettext_noop("added in the administration")
        ADMIN_CHANGED = "admin_changed", gettext_noop("changed in the administration")
        ADMIN_DELETED = "admin_deleted", gettext_noop("deleted in the administration")

    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    act = models.CharField(max_length=20, choices=Act.choices)
    function = models.ForeignKey(
        Function,
        on_delete=models.PROTECT,
        null=True,
        related_name="audit_entries",
        db_index=False,
    )
    # the other person: new owner, or holder of the account
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
    )
    # kind, id and label of the item, if the act is about one
    kind = models.CharField(max_length=16, blank=True, default="")
    item_id = models.BigIntegerField(null=True)
    label = models.CharField(max_length=200, blank=True, default="")
    reason = models.CharField(max_length=500, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(name="audit_of_function", fields=["function", "-id"]),  # its public log
            # staff's log, filtered by actor, act, or person
            models.Index(name="audit_of_actor", fields=["actor", "-id"]),
            models.Index(name="audit_of_act", fields=["act", "-id"]),
            models.Index(
                name="audit_of_person", fields=["person", "-id"], condition=~models.Q(person=None)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.actor_id} {self.act} {self.label}"
