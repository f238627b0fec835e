"""The tallies: each work's score is the sum of its votes, and what follows from it goes with it."""

from collections.abc import Mapping, Sequence

from django.db.models import F, IntegerField, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce

from functions.evaluation import settle_soon
from functions.models import Implementation, Test, Vote, Work
from runner.outbox import append_event
from runner.pipelines.sequences import News
from runner.pipelines.views import Total


class Tally:
    """The scores of all implementations, or of all tests; a view of votes."""

    def __init__(self, model: type[Implementation | Test]) -> None:
        self._model = model

    def add(self, differences: Mapping[int, int]) -> None:
        """Change the scores, tell the pages, and have elections held."""
        for pk, difference in differences.items():
            rows = self._model.objects.filter(pk=pk)
            if not rows.update(score=F("score") + difference):
                continue
            work = rows.select_related("function").defer("code").get()
            tally = {"item": work.noun, "id": work.pk, "score": work.score}
            append_event(work.function.topic, "tally.changed", tally)
            settle_soon([work.function_id], cause=f"votes on {work.noun} {work}")

    def totals(self, after: int, most: int) -> Sequence[Total]:
        """Return the next works' scores, each beside the sum of its votes."""
        votes = Vote.objects.filter(**{self._model.noun: OuterRef("pk")}).order_by()
        sums = votes.values(self._model.noun).annotate(sum=Sum("value")).values("sum")
        works = self._model.objects.filter(pk__gt=after).exclude(state=Work.State.DRAFT)
        rows = works.annotate(sum=Coalesce(Subquery(sums, output_field=IntegerField()), 0))
        return [Total(*row) for row in rows.order_by("pk").values_list("pk", "score", "sum")[:most]]

    def news(self, target: int) -> Sequence[News]:
        """Return all votes on this work."""
        votes = Vote.objects.filter(**{self._model.noun: target}).order_by("pk")
        rows = votes.values_list("pk", "sequence", "value")
        return [News(pk, sequence, target, value) for pk, sequence, value in rows]
