"""People by the user names that they had before."""

from django.contrib.auth.models import User

from functions.models import FormerName
from functions.people.deleted_accounts import is_deleted_name


def user_once_named(name: str) -> User | None:
    """Return the user who gave up this name, in any case; None also for deleted accounts."""
    rows = FormerName.objects.filter(name__iexact=name).select_related("user")
    row = rows.order_by("-pk").first()
    return None if row is None or is_deleted_name(row.user.get_username()) else row.user
