"""The quota of queued tasks per owner."""

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from runner.errors import QuotaExceeded

# Stops counting at the limit.
_COUNT = """
    select count(*) from (
        select from runner_task t join runner_batch b on b.id = t.batch_id
        where b.owner_id = %s and b.state = 0 and t.state in (0, 1, 2, 6)
        limit %s) as queued
"""


def has_quota(owner_id: int | None, more: int) -> bool:
    """Whether the owner may queue `more` tasks; without an owner, always.

    Concurrent requests of one owner don't see each other, and so may exceed the quota.
    """
    if owner_id is None or more <= 0:
        return True
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [owner_id, settings.QUEUED_PER_OWNER + 1])
        queued = int(cursor.fetchone()[0])
    return queued + more <= int(settings.QUEUED_PER_OWNER)


def check_quota(owner_id: int | None, more: int) -> None:
    """Raise QuotaExceeded if the owner may not queue `more` tasks."""
    if not has_quota(owner_id, more):
        raise QuotaExceeded(
            _(
                "You may have %(limit)s runs waiting, and these %(count)s would be too many. "
                "Wait until some have ended, or cancel some, then try again."
            )
            % {"limit": f"{settings.QUEUED_PER_OWNER:,}", "count": f"{more:,}"}
        )
