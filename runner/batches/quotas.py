"""The quotas of owners of batches: queued tasks, and runs and CPU time by day."""

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from runner.errors import QuotaExceeded
from runner.quotas import (
    CALLS,
    CPU,
    RUNS,
    Resource,
    is_limited,
    observe,
    over_quota,
    read_use,
    shown,
)
from runner.registry import accounts_charged_to, payer_of

# At once, not by day.
QUEUED = Resource("queued", "", "QUEUED_PER_OWNER")
# Two sessions that submit for one account take turns until their commits.
_LOCK = "select pg_advisory_xact_lock(hashtextextended('quota ' || %s, 0))"
# Stops counting at the limit.
_COUNT = """
    select count(*) from (
        select from runner_task t join runner_batch b on b.id = t.batch_id
        where b.owner_id = any(%s) and b.state = 0 and t.state in (0, 1, 2, 6)
        limit %s) as queued
"""


def has_quota(owner_id: int | None, more: int) -> bool:
    """Whether the owner may queue `more` tasks; without an owner, always.

    Concurrent requests of one owner don't see each other, and so may exceed the quota.
    """
    if owner_id is None or more <= 0:
        return True
    return _count_queued([owner_id]) + more <= int(settings.QUEUED_PER_OWNER)


def check_quotas(owner_id: int | None, more: int) -> None:
    """Raise QuotaExceeded if the owner may not queue `more` tasks, or has used up today's quota.

    Exact while quotas are enforced, as requests for one account take turns.
    """
    if owner_id is None or more <= 0:
        return
    accounts, payer_id = [owner_id], payer_of(owner_id)
    if is_limited():
        with connection.cursor() as cursor:
            cursor.execute(_LOCK, [str(payer_id)])
        accounts = [payer_id, *accounts_charged_to(payer_id)]
        if payer_id != owner_id:
            own = _count_queued([owner_id])
            _check_queued(own, more, QUEUED.limit_of(owner_id))
            _check_day(owner_id, own, more)
    queued = _count_queued(accounts)
    _check_queued(queued, more, QUEUED.limit_of(payer_id))
    if is_limited():
        _check_day(payer_id, queued, more)


def _check_queued(queued: int, more: int, limit: int) -> None:
    if queued + more > limit:
        message = _(
            "You may have %(limit)s runs waiting, and these %(count)s would be too many. "
            "Wait until some have ended, or cancel some, then try again."
        )
        words = {"limit": shown(limit), "count": shown(more)}
        raise QuotaExceeded(message % words)


def _count_queued(accounts: list[int]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [accounts, settings.QUEUED_PER_OWNER + 1])
        return int(cursor.fetchone()[0])


def _check_day(account: int, queued: int, more: int) -> None:
    """Raise QuotaExceeded if today's quota doesn't allow `more` runs beside those queued.

    Those are expected to take as much CPU time as today's runs and calls did on average.
    """
    cpu, runs, calls = read_use(account, [CPU, RUNS, CALLS]).values()
    observe(cpu, runs)
    average = cpu.used / max(1, runs.used + calls.used)
    for use, waiting, new in ((cpu, queued * average, 0), (runs, queued, more)):
        if use.is_exhausted or use.used + new > use.limit:
            raise over_quota(use, new)
        if use.used + waiting + new > use.limit:
            message = _(
                "Your runs that are waiting may take what is left of today's %(limit)s %(what)s. "
                "Wait until some have ended, or cancel some, then try again."
            )
            raise QuotaExceeded(
                message % {"limit": shown(use.limit), "what": _(use.resource.label)}
            )
