"""The daily quota of checks: their runs count like those of batches."""

import logging
from collections.abc import Sequence

from django.db import InterfaceError, OperationalError

from functions.errors import refusing_over_quota
from runner.calls import Run
from runner.quotas import CPU, RUNS, add_use, is_limited, observe, over_quota, read_use
from runner.registry import accounts_counted
from runner.sandbox import Outcome

log = logging.getLogger(__name__)


def check_runs(user_id: int, count: int) -> None:
    """Raise TooOften if today's quota of the account doesn't allow so many more runs."""
    if not is_limited() or not count:
        return
    for account in accounts_counted(user_id):
        cpu, runs = read_use(account, [CPU, RUNS]).values()
        observe(cpu, runs)
        for use, more in ((cpu, 0), (runs, count)):
            if use.is_exhausted or use.used + more > use.limit:
                with refusing_over_quota():
                    raise over_quota(use, more)


def count_runs(user_id: int, runs: Sequence[Run]) -> None:
    """Count the runs that have ended, with their CPU time."""
    ended = [run for run in runs if isinstance(run, Outcome)]
    _count(user_id, len(ended), sum(run.cpu_us for run in ended))


def count_abandoned(user_id: int, seconds: float) -> None:
    """Count a check that nobody waited for: as one run for all of its time, as the rest is lost."""
    _count(user_id, 1, int(seconds * CPU.per_unit))


def _count(user_id: int, runs: int, cpu_us: int) -> None:
    if not runs:
        return
    try:
        for account in accounts_counted(user_id):
            observe(*add_use(account, {RUNS: runs, CPU: cpu_us}).values())
    except (OperationalError, InterfaceError) as error:
        log.warning("a check wasn't counted, the database is away: %s", error)
