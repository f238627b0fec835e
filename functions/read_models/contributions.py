"""Contributions over time: how much a person defined and published on each day of a year."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, QuerySet
from django.db.models.functions import TruncDate

from functions.models import Function, Implementation, Test, Work

WEEKS_SHOWN = 52


def first_day(today: date) -> date:
    """Return the Monday on which the year begins that ends with this week."""
    return today - timedelta(days=today.weekday(), weeks=WEEKS_SHOWN - 1)


def contributions_by_day(user: User, today: date) -> dict[date, int]:
    """Return the number of definitions and publications by day, without days that have none."""
    days: Counter[date] = Counter()
    for day, count in counted_by_day(user, first_day(today)):
        days[day] += count
    return dict(days)


def by_month(days: Mapping[date, int], today: date) -> Iterator[tuple[date, int]]:
    """Return the first of each month shown and its number of contributions, oldest first."""
    first = first_day(today)
    months = {first + timedelta(days=number) for number in range((today - first).days + 1)}
    for month in sorted({day.replace(day=1) for day in months}):
        yield month, sum(count for day, count in days.items() if day.replace(day=1) == month)


def counted_by_day(user: User, since: date) -> QuerySet[Any]:
    """Return (day, count) rows; a day has one of functions, implementations and tests each."""
    start = datetime.combine(since, time(), UTC)
    published = {"author": user, "published_at__gte": start}
    definitions, *works = (
        rows.values_list(TruncDate(field)).annotate(count=Count("pk"))
        for rows, field in (
            (
                Function.objects.filter(owner=user, deleted_at=None, created_at__gte=start),
                "created_at",
            ),
            *(
                (model.objects.filter(**published).exclude(state=Work.State.DRAFT), "published_at")
                for model in (Implementation, Test)
            ),
        )
    )
    return definitions.union(*works, all=True)
