"""Staff's exceptions to quotas, for one account."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from functions.audit import check_reason, record_act
from functions.errors import NotFound, Refusal, no_such
from functions.models import AuditEntry
from functions.people.quotas import RESOURCES
from functions.permissions import require_staff
from runner.models import QuotaOverride
from runner.registry import Actor

MAX_LIMIT = 10**12


@transaction.atomic
def change_quota(
    *, actor: Actor, username: str, resource: str, limit: int | None, reason: str
) -> User:
    """Set an account's limit of a resource, or with None the site's; return the account.

    An agent's own limit is changed, not that of its person.
    """
    staff = require_staff(actor)
    reason = check_reason(reason, is_required=True)
    if resource not in RESOURCES:
        raise NotFound("no_such_quota", _("There is no quota of this name."))
    if limit is not None and not 0 <= limit <= MAX_LIMIT:
        raise Refusal("invalid_limit", _("A limit is a whole number from 0."), field="limit")
    user = User.objects.select_for_update(no_key=True).filter(username=username).first()
    if user is None:
        raise no_such("user")
    former = QuotaOverride.objects.filter(user=user, resource=resource)
    former.delete()
    if limit is not None:
        QuotaOverride.objects.create(user=user, resource=resource, limit=limit)
    label = f"{resource}: {'default' if limit is None else limit}"
    record_act(staff, AuditEntry.Act.QUOTA_CHANGED, person=user, label=label, reason=reason)
    return user
