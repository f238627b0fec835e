"""The daily quota of calls: checked before a call, counted after it with its CPU time."""

import logging

from django.db import InterfaceError, OperationalError

from functions.errors import refusing_over_quota
from functions.sized_cache import SizedCache
from runner.quotas import CALLS, CPU, add_use, is_limited, observe, over_quota, read_use
from runner.registry import accounts_counted

log = logging.getLogger(__name__)

# Accounts with some quota left after their last call, which needn't be read before the next. So
# calls that are made at once, or by several web processes, may exceed the quota by their number.
_have_left: SizedCache[int, bool] = SizedCache(10_000)


def check_calls(user_id: int) -> None:
    """Raise TooOften if the account, or who is charged, has used up today's calls or CPU time."""
    for account in accounts_counted(user_id) if is_limited() else ():
        _check(account)


def _check(account: int) -> None:
    if _have_left.get(account):
        return
    uses = read_use(account, [CALLS, CPU])
    observe(*uses.values())
    for use in uses.values():
        if use.is_exhausted:
            with refusing_over_quota():
                raise over_quota(use, 1)
    _have_left.put(account, True, 1)


def count_call(user_id: int, cpu_us: int) -> None:
    """Count a call that was made; while the database is away, it isn't counted."""
    for account in accounts_counted(user_id):
        try:
            uses = add_use(account, {CALLS: 1, CPU: cpu_us})
        except (OperationalError, InterfaceError) as error:
            log.warning("a call wasn't counted, the database is away: %s", error)
            return
        observe(*uses.values())
        if any(use.is_exhausted for use in uses.values()):
            _have_left.put(account, False, 1)
