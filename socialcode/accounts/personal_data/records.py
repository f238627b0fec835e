"""Every column that refers to an account: how its rows are exported, and what a deletion does."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet

from functions.models import Agent


class Fate(Enum):
    """What happens to rows when the account is deleted."""

    ERASED = "deleted in the transaction that ends the account"
    ERASED_SOON = "deleted by a worker, as it may have to wait for locks, or needs them itself"
    CHOSEN = "stays or is withdrawn, as the person chooses"
    STAYS = "stays; the account that it refers to has no name any more"


@dataclass(frozen=True, slots=True)
class Record:
    """The rows of a model that refer to an account by a field.

    `file` is their name in an export; without one, `left_out` says why they aren't in it. `secret`
    fields are never exported; `more` are columns of related rows that are.
    """

    model: str
    field: str
    fate: Fate
    file: str = ""
    left_out: str = ""
    secret: tuple[str, ...] = ()
    more: tuple[str, ...] = ()

    @property
    def is_installed(self) -> bool:
        return self.model.partition(".")[0] in apps.app_configs

    @property
    def rows(self) -> QuerySet[Model]:
        model: type[Model] = apps.get_model(self.model)
        return model._base_manager.all()  # noqa: SLF001 - Django's documented interface


_WORK = ("function__name",)
_WORK_SECRETS = ("key", "proven_uses")
_OF_OTHERS = "about work of others; one's acts as an owner or member of staff are in acts"
_QUEUE = "says for whom the queue is fair while something waits; runs has what was run"

RECORDS = (
    Record("accounts.ApiToken", "user", Fate.ERASED, "tokens",
           secret=("digest", "password_digest")),
    Record("accounts.Language", "user", Fate.ERASED, "language"),
    Record("accounts.Session", "user_id", Fate.ERASED, "sessions",
           secret=("session_key", "session_data")),
    Record("accounts.Suspension", "user", Fate.ERASED, "suspensions", secret=("suspended_by",)),
    Record("accounts.Suspension", "suspended_by", Fate.STAYS,
           left_out="about other accounts; one's acts as a member of staff are in acts"),
    Record("accounts.UsernameSkeleton", "user", Fate.STAYS,
           left_out="made from user names, which are in account.json and former-names"),
    Record("accounts.DeletedAccount", "user", Fate.STAYS,
           left_out="exists once an account is deleted"),
    Record("admin.LogEntry", "user", Fate.STAYS, "administration"),
    Record("auth.User_groups", "user", Fate.ERASED, "groups", more=("group__name",)),
    Record("auth.User_user_permissions", "user", Fate.ERASED, "permissions",
           more=("permission__codename",)),
    # Of django-allauth.
    Record("account.EmailAddress", "user", Fate.ERASED, "email-addresses"),
    Record("socialaccount.SocialAccount", "user", Fate.ERASED, "other-sign-ins"),
    Record("mfa.Authenticator", "user", Fate.ERASED, "second-factors", secret=("data",)),
    # What the person made.
    Record("functions.Function", "owner", Fate.CHOSEN, "functions", secret=("closure_digest",)),
    Record("functions.FunctionRevision", "editor", Fate.STAYS, "function-revisions"),
    Record("functions.Implementation", "author", Fate.CHOSEN, "implementations", more=_WORK),
    Record("functions.Test", "author", Fate.CHOSEN, "tests", secret=("proven_uses",), more=_WORK),
    Record("functions.AcceptanceTest", "author", Fate.CHOSEN, "acceptance-tests",
           more=("function__name", "target__name")),
    Record("functions.DocumentRevision", "editor", Fate.STAYS, "document-revisions",
           secret=("sha256",), more=("implementation__function__name",)),
    Record("functions.DocumentTemplate", "owner", Fate.STAYS, "document-templates"),
    Record("functions.DocumentView", "owner", Fate.STAYS, "document-views"),
    Record("functions.Comment", "author", Fate.CHOSEN, "comments", more=_WORK),
    Record("functions.Vote", "voter", Fate.CHOSEN, "votes"),
    Record("functions.KeptAnswer", "user", Fate.ERASED,
           left_out="copies of answers that the account's programs got in the last day"),
    Record("functions.VoteChange", "voter", Fate.ERASED, "vote-history"),
    Record("functions.Flag", "flagger", Fate.STAYS, "flags", secret=("resolver",)),
    Record("functions.AuditEntry", "actor", Fate.STAYS, "acts"),
    Record("functions.AuditEntry", "person", Fate.STAYS, "acts-about-you", secret=("actor",)),
    Record("functions.AppliedRequest", "user", Fate.ERASED, "changes-by-pages"),
    Record("functions.Collection", "owner", Fate.STAYS, "collections"),
    Record("functions.Item", "author", Fate.STAYS, "collection-items", more=("collection__name",)),
    Record("functions.Preview", "owner", Fate.ERASED_SOON, "previews"),
    Record("runner.Batch", "owner", Fate.STAYS, "runs-and-calls", more=("topic__name",)),
    Record("runner.ResourceUse", "user", Fate.STAYS, "resource-use"),
    Record("runner.QuotaOverride", "user", Fate.ERASED, "quotas"),
    # What the person set.
    Record("functions.Profile", "user", Fate.ERASED, "profile"),
    Record("functions.FormerName", "user", Fate.ERASED_SOON, "former-names"),
    Record("functions.Digest", "user", Fate.ERASED, "mail-digest"),
    Record("functions.Agent", "person", Fate.ERASED, "agents", more=("user__username",)),
    Record("functions.Agent", "user", Fate.ERASED, left_out="the same rows as agents"),
    Record("functions.AgentLabel", "user", Fate.ERASED, "agent-label"),
    Record("functions.Watch", "user", Fate.ERASED, "watched-functions", more=_WORK),
    Record("functions.Canary", "owner", Fate.ERASED, "registered-projects",
           more=("locked__release__name", "locked__release__number")),
    Record("functions.NameWatch", "user", Fate.ERASED, "watched-names"),
    Record("functions.PersonWatch", "user", Fate.ERASED, "watched-people",
           more=("person__username",)),
    Record("functions.PersonWatch", "person", Fate.ERASED,
           left_out="what other people chose to watch is theirs"),
    Record("functions.Webhook", "owner", Fate.ERASED, "webhooks",
           secret=("secret", "former_secret"), more=("function__name", "person__username")),
    Record("functions.Webhook", "person", Fate.ERASED,
           left_out="what other people chose to be sent is theirs"),
    Record("functions.Notification", "user", Fate.ERASED, "notifications",
           more=("notice__kind", "notice__text", "notice__function__name")),
    Record("functions.Function", "offered_to", Fate.ERASED_SOON, "functions-offered",
           secret=("closure_digest",)),
    # What refers to the account beside that.
    Record("functions.Notice", "actor", Fate.STAYS, left_out="tells others what other files have"),
    Record("functions.WebhookDelivery", "actor", Fate.STAYS,
           left_out="tells others what other files have"),
    Record("functions.Election", "by", Fate.STAYS,
           left_out="follows from votes and publications, which are in other files"),
    Record("functions.Implementation", "judge", Fate.STAYS, left_out=_OF_OTHERS),
    Record("functions.Test", "judge", Fate.STAYS, left_out=_OF_OTHERS),
    Record("functions.Comment", "hidden_by", Fate.STAYS, left_out=_OF_OTHERS),
    Record("functions.Flag", "resolver", Fate.STAYS, left_out=_OF_OTHERS),
    Record("runner.Execution", "owner", Fate.STAYS, left_out=_QUEUE),
    Record("runner.FanOut", "owner", Fate.STAYS, left_out=_QUEUE),
    Record("runner.FollowUp", "owner", Fate.STAYS, left_out=_QUEUE),
    Record("runner.Ticket", "owner", Fate.STAYS, left_out=_QUEUE),
)  # fmt: skip


def installed(*fates: Fate) -> Iterator[Record]:
    """Return the records of installed apps, of these fates or of all."""
    return (one for one in RECORDS if one.is_installed and (not fates or one.fate in fates))


def accounts_of(user: User) -> Sequence[int]:
    """Return the ids of this account and its agents', in order."""
    return sorted([user.pk, *Agent.objects.filter(person=user).values_list("user", flat=True)])
