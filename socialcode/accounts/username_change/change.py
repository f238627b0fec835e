"""Changes of user names by their holders."""

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.errors import Conflict, Refusal, TooOften
from functions.models import FormerName
from functions.people.deleted_accounts import is_deleted_name
from functions.permissions import require_person
from runner.registry import Actor
from socialcode.accounts.names.rules import NameTaken, check_username, require_claim

MAX_CHANGES = 3
PERIOD = timedelta(days=30)


@transaction.atomic
def change_username(*, actor: Actor, name: str) -> User:
    """Give this person another user name; nobody else can take the former one.

    It follows sessions and tokens, which know the account by its id.
    """
    # Locked against their own concurrent changes, and against the deletion of the account.
    user = User.objects.select_for_update().get(pk=require_person(actor).pk)
    if is_deleted_name(user.get_username()):
        raise Conflict("deleted_already", _("This account is deleted already."))
    user.username = _valid_name(user, name)
    _require_allowance(user)
    try:
        with transaction.atomic():
            user.save(update_fields=["username"])
            require_claim(user)
    except IntegrityError as error:
        raise Conflict("name_taken", NameTaken().messages[0], field="username") from error
    return user


def _valid_name(user: User, name: str) -> str:
    """Return the name in its normal form, or refuse it."""
    name = User.normalize_username(name.strip())
    if name == user.get_username():
        raise Refusal("same_name", _("This is your user name already."), field="username")
    try:
        User._meta.get_field("username").clean(name, user)  # noqa: SLF001 - Django's documented interface
        check_username(name, holder=user)
    except ValidationError as error:
        raise Refusal("invalid_name", error.messages[0], field="username") from error
    return name


def _require_allowance(user: User) -> None:
    """Refuse more changes than are allowed, as each keeps a name from everybody else."""
    since = timezone.now() - PERIOD
    recent = FormerName.objects.filter(user=user, given_up_at__gt=since)
    times = list(recent.order_by("-pk").values_list("given_up_at", flat=True)[:MAX_CHANGES])
    if len(times) < MAX_CHANGES or not settings.RATE_LIMITS:
        return
    message = _("A user name can be changed %(limit)s times in %(days)s days.")
    values = {"limit": MAX_CHANGES, "days": PERIOD.days}
    wait = (times[-1] - since).total_seconds()
    raise TooOften(message % values, retry_after_seconds=max(1, round(wait)))
