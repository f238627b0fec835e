"""Quotas: what an account may use of a resource in a day, and what it has used.

Use is stored in PostgreSQL. Days are in UTC, by its clock.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from runner.errors import DailyQuotaExceeded
from runner.models import QuotaOverride
from runner.registry import accounts_counted, quota_share

KEEP_DAYS = 31
WARNED_AT = 0.8
TODAY = "(now() at time zone 'utc')::date"
_RENEWAL = f"ceil(extract(epoch from {TODAY} + 1 - now() at time zone 'utc'))::int"
# Of one account all take turns at a row, so that the total is exact; in the order of names, so that
# they can't block one another.
_ADD = f"""
    with added as (
        insert into runner_resourceuse as u (user_id, day, resource, slot, amount)
        select %(user)s, {TODAY}, n.resource, 0, n.amount
        from unnest(%(resources)s::text[], %(amounts)s::bigint[]) as n (resource, amount)
        order by n.resource
        on conflict (user_id, day, resource, slot) do update
            set amount = u.amount + excluded.amount
        returning resource, amount
    )
    select a.resource, a.amount + coalesce((
            select sum(w.amount) from runner_resourceuse w
            where w.user_id = %(user)s and w.day = {TODAY} and w.resource = a.resource
                and w.slot > 0), 0)::bigint, o."limit", {_RENEWAL}
    from added a left join runner_quotaoverride o
        on o.user_id = %(user)s and o.resource = a.resource
"""  # noqa: S608 - constants of ours
_READ = f"""
    select n.resource, coalesce((
            select sum(w.amount) from runner_resourceuse w
            where w.user_id = %(user)s and w.day = {TODAY} and w.resource = n.resource), 0)::bigint,
        o."limit", {_RENEWAL}
    from unnest(%(resources)s::text[]) as n (resource)
    left join runner_quotaoverride o on o.user_id = %(user)s and o.resource = n.resource
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Resource:
    """A limited resource, stored under `name`; `setting` is the limit of accounts without another.

    Amounts are stored in `per_unit`ths of the unit that limits have.
    """

    name: str
    label: str  # to be translated
    setting: str
    per_unit: int = 1
    has_shares: bool = True  # whether some accounts have only a share of it

    @property
    def default_limit(self) -> int:
        return int(getattr(settings, self.setting))

    def limit_of(self, user_id: int) -> int:
        """Return the limit of an account for which staff have set no other."""
        share = quota_share(user_id) if self.has_shares else 100
        return self.default_limit * share // 100


# Of the machinery; the product adds its own.
CPU = Resource("cpu", gettext_noop("CPU seconds"), "CPU_SECONDS_PER_DAY", per_unit=1_000_000)
RUNS = Resource("runs", gettext_noop("runs"), "RUNS_PER_DAY")
CALLS = Resource("calls", gettext_noop("calls"), "CALLS_PER_DAY")
# Open at once, in each web process; not counted by day.
SOCKETS = Resource("sockets", gettext_noop("open sockets"), "SOCKETS_PER_USER", has_shares=False)


@dataclass(frozen=True, slots=True)
class Use:
    """How much of a resource an account has used today, and its limit, in the resource's unit."""

    resource: Resource
    used: float
    limit: int
    renewal_seconds: int  # until the quota is renewed

    @property
    def is_exhausted(self) -> bool:
        return self.used >= self.limit

    @property
    def is_scarce(self) -> bool:
        """Whether so much is used that the account should be warned."""
        return self.used >= WARNED_AT * self.limit


# What was counted or checked during a request, by resource; None outside of requests.
_observed: ContextVar[dict[str, Use] | None] = ContextVar("observed", default=None)
_is_exempt: ContextVar[bool] = ContextVar("is_exempt", default=False)


@contextmanager
def unlimited() -> Iterator[None]:
    """Refuse nothing here, and count nothing but runs: the site's own work, or counted already."""
    token = _is_exempt.set(True)
    try:
        yield
    finally:
        _is_exempt.reset(token)


@contextmanager
def observed_uses() -> Iterator[dict[str, Use]]:
    """Collect the uses that are counted or checked here, by resource, so that users see them."""
    uses: dict[str, Use] = {}
    token = _observed.set(uses)
    try:
        yield uses
    finally:
        _observed.reset(token)


def observe(*uses: Use) -> None:
    """Add these uses to those that the present request collects."""
    observed = _observed.get()
    if observed is None:
        return
    for use in uses:
        former = observed.get(use.resource.name)
        # Of several accounts, the one that has the least left.
        if former is None or use.limit - use.used <= former.limit - former.used:
            observed[use.resource.name] = use


def is_limited() -> bool:
    """Return whether quotas are enforced for what is being done."""
    return bool(settings.RATE_LIMITS) and not _is_exempt.get()


def charge(user_id: int, amounts: Mapping[Resource, int]) -> None:
    """Count what a request uses, in its transaction. Raises DailyQuotaExceeded if it is too much.

    It is counted for the account, then for the one that is charged.

    To be called before other rows are locked, as requests of one account take turns.
    """
    wanted = {resource: amount for resource, amount in amounts.items() if amount}
    if _is_exempt.get() or not wanted:
        return
    for account in accounts_counted(user_id):
        uses = add_use(account, wanted)
        for resource, amount in wanted.items():
            use = uses[resource.name]
            if is_limited() and use.used > use.limit:
                before = replace(use, used=use.used - amount)
                observe(before)
                raise over_quota(before, amount)
            observe(use)


def add_use(user_id: int, amounts: Mapping[Resource, int]) -> dict[str, Use]:
    """Count these amounts for an account, exactly; return its use of these resources by name.

    Within a transaction, others who count for this account wait until it ends.
    """
    terms = {
        "user": user_id,
        "resources": [resource.name for resource in amounts],
        "amounts": list(amounts.values()),
    }
    return _uses(_ADD, terms, list(amounts))


def read_use(user_id: int, resources: Sequence[Resource]) -> dict[str, Use]:
    """Return an account's use of these resources today, by name, in one query."""
    terms = {"user": user_id, "resources": [resource.name for resource in resources]}
    return _uses(_READ, terms, resources)


def _uses(
    statement: str, terms: Mapping[str, Any], resources: Sequence[Resource]
) -> dict[str, Use]:
    with connection.cursor() as cursor:
        cursor.execute(statement, terms)
        rows = {name: row for name, *row in cursor}
    user_id = terms["user"]
    return {one.name: _use_of(one, user_id, *rows[one.name]) for one in resources}


def _use_of(
    resource: Resource, user_id: int, amount: int, override: int | None, renewal_seconds: int
) -> Use:
    limit = resource.limit_of(user_id) if override is None else override
    used = amount / resource.per_unit if resource.per_unit > 1 else amount
    return Use(resource, used, limit, renewal_seconds)


def over_quota(use: Use, more: int) -> DailyQuotaExceeded:
    """Return the error for `more` of a resource: what, how much, and when it is renewed."""
    if use.is_exhausted:
        message = _(
            "You have used today's quota of %(what)s: %(used)s of %(limit)s. It is renewed at "
            "midnight UTC. Staff can raise it."
        )
    else:
        message = _(
            "This takes %(more)s %(what)s, and you have used %(used)s of today's %(limit)s. The "
            "quota is renewed at midnight UTC. Staff can raise it."
        )
    words = {
        "used": shown(use.used),
        "limit": shown(use.limit),
        "what": _(use.resource.label),
        "more": shown(more),
    }
    return DailyQuotaExceeded(message % words, use.renewal_seconds)


def shown(amount: float) -> str:
    """Return an amount as text, rounded down."""
    return str(number_format(int(amount), force_grouping=True))


def overrides_of(resource: Resource) -> dict[int, int]:
    """Return all of staff's exceptions to this resource's limit, by user."""
    rows = QuotaOverride.objects.filter(resource=resource.name)
    return dict(rows.values_list("user", "limit"))


def remove_old_use(_cursor: int) -> int:
    """Remove the use of days that are over for long; a periodic task."""
    with connection.cursor() as cursor:
        cursor.execute(f"delete from runner_resourceuse where day < {TODAY} - {KEEP_DAYS}")  # noqa: S608
    return 0
