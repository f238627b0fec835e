"""Tallies: scores as sums of votes, with the events and elections that follow."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import F, IntegerField, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from functions.contests.evaluation import enqueue_reconcile
from functions.models import Vote
from functions.voting.votables import Votable
from runner.pipelines.outbox import append_event
from runner.registry import SourceUpdate, Total


class Tally:
    """The scores of one model; a materialised view of votes.

    There are two: `score` of the votes that decide, and `agent_score` of those counted apart.
    """

    def __init__(self, votable: Votable, *, apart: bool = False) -> None:
        self._votable = votable
        self._apart = apart
        self._column = "agent_score" if apart else "score"
        self._rows: QuerySet[Any] = votable.model.objects.all()

    def add(self, differences: Mapping[int, int]) -> None:
        """Change scores, publish them, and enqueue elections."""
        for pk, difference in differences.items():
            rows = self._rows.filter(pk=pk)
            if not rows.update(**{self._column: F(self._column) + difference}):
                continue
            row = rows.select_related("function").defer(self._votable.body).get()
            scores = {"score": row.score, "agent_score": row.agent_score}
            tally = {"item": row.noun, "id": row.pk, **scores}
            append_event(row.function.topic, "tally.changed", tally)
            if self._votable.elects and not self._apart:
                cause = f"votes on {row.noun} {row}: {difference:+d}, to {row.score}"
                enqueue_reconcile([row.function_id], cause=cause, owner=self._newest_voter(pk))

    def _newest_voter(self, pk: int) -> int | None:
        """Return the latest voter on this item, in whose name the election is queued."""
        votes = Vote.objects.filter(**{self._votable.noun: pk})
        return votes.order_by("-pk").values_list("voter", flat=True).first()

    def totals(self, after: int, most: int) -> Sequence[Total]:
        """Return the next scores, each with the sum of its votes."""
        noun = self._votable.noun
        votes = Vote.objects.filter(**{noun: OuterRef("pk")}, apart=self._apart).order_by()
        sums = votes.values(noun).annotate(sum=Sum("value")).values("sum")
        tallied = self._rows.filter(self._votable.tallied, pk__gt=after)
        rows = tallied.annotate(sum=Coalesce(Subquery(sums, output_field=IntegerField()), 0))
        found = rows.order_by("pk").values_list("pk", self._column, "sum")
        return [Total(*row) for row in found[:most]]

    def updates(self, target: int) -> Sequence[SourceUpdate]:
        """Return all votes on this item; those in the other tally say 0 here."""
        votes = Vote.objects.filter(**{self._votable.noun: target}).order_by("pk")
        # A vote that is no agent's never was in that tally, or has left it.
        votes = votes.filter(by_agent=True) if self._apart else votes
        rows = votes.values_list("pk", "sequence", "value", "apart")
        return [
            SourceUpdate(pk, sequence, target, value if apart == self._apart else 0)
            for pk, sequence, value, apart in rows
        ]
