"""A view to try pipelines on: its sources are in memory, its totals in rows that count writes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from django.db import connection, transaction

from runner.pipelines.materialized_views import Total
from runner.pipelines.sequences import SourceUpdate, append_update

VIEW = "test"


@dataclass
class Totals:
    """Totals in a table of the test's own; its sources say what `told` says last of each."""

    sent_lines: dict[int, SourceUpdate] = field(default_factory=dict)
    follow: Callable[[], None] = lambda: None
    refused: int | None = None  # the target that can't be written

    def add(self, differences: Mapping[int, int]) -> None:
        with connection.cursor() as cursor:
            for target, difference in differences.items():
                if target == self.refused:
                    raise ValueError(target)
                cursor.execute(
                    "insert into totals values (%s, %s, 1) on conflict (target) do update"
                    " set total = totals.total + excluded.total, writes = totals.writes + 1",
                    [target, difference],
                )
        self.follow()

    def totals(self, after: int, most: int) -> Sequence[Total]:
        with connection.cursor() as cursor:
            cursor.execute(
                "select target, total from totals where target > %s order by target limit %s",
                [after, most],
            )
            return [Total(target, total, self.sum(target)) for target, total in cursor]

    def updates(self, target: int) -> Sequence[SourceUpdate]:
        return [news for news in self.sent_lines.values() if news.target == target]

    def sum(self, target: int) -> int:
        """Return what the sources come to."""
        return sum(news.value for news in self.updates(target))

    def say(self, *all_news: SourceUpdate, arrives: bool = True) -> None:
        """Change sources, and append what they say."""
        with transaction.atomic():
            for news in all_news:
                known = self.sent_lines.get(news.source)
                if known is None or known.sequence < news.sequence:
                    self.sent_lines[news.source] = news
                if arrives:
                    append_update(VIEW, news)

    def stored(self) -> dict[int, int]:
        """Return all totals that aren't nothing."""
        return {target: total for target, total, _ in self._rows() if total}

    def writes(self) -> int:
        """Return how often totals were written."""
        return sum(writes for _, _, writes in self._rows())

    def expected(self) -> dict[int, int]:
        """Return what the totals must be."""
        targets = {news.target for news in self.sent_lines.values()}
        return {target: total for target in sorted(targets) if (total := self.sum(target))}

    def _rows(self) -> list[tuple[int, int, int]]:
        with connection.cursor() as cursor:
            cursor.execute("select target, total, writes from totals order by target")
            return cast("list[tuple[int, int, int]]", cursor.fetchall())
