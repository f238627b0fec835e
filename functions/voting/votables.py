"""Models that can be voted on: works and comments, and their differences."""

from dataclasses import dataclass

from django.db.models import Q

from functions.models import Comment, Implementation, Test, Work

AnyVotable = Implementation | Test | Comment


@dataclass(frozen=True, slots=True)
class Votable:
    """A model that can be voted on."""

    model: type[AnyVotable]
    state: str  # SQL of the state of row `w`; votes are only taken on published items
    is_there: str  # SQL condition on row `w` and its function `f`: whether the item exists
    body: str  # name of the long text column, which isn't loaded
    tallied: Q  # rows that have a tally
    elects: bool  # whether its score affects elections

    @property
    def noun(self) -> str:
        return self.model.noun

    @property
    def view_name(self) -> str:
        """Name of the materialised view that tallies its votes."""
        return f"{self.noun}_votes"

    @property
    def agent_view_name(self) -> str:
        """Name of the materialised view of the votes that are counted apart."""
        return f"{self.noun}_agent_votes"


def _work(model: type[Implementation | Test]) -> Votable:
    return Votable(
        model=model,
        state="w.state",
        is_there="f.deleted_at is null or w.state = 'draft'",
        body="code",
        tallied=~Q(state=Work.State.DRAFT),
        elects=True,
    )


_COMMENT = Votable(
    model=Comment,
    state="case when w.deleted_at is not null then 'deleted'"
    " when w.hidden_at is not null then 'hidden' else 'published' end",
    is_there="f.deleted_at is null",
    body="text",
    tallied=Q(),
    elects=False,
)
VOTABLES = {votable.noun: votable for votable in (_work(Implementation), _work(Test), _COMMENT)}


def arrivals_of(changed: str, noun: str, target: str) -> str:
    """Return SQL that queues changes of votes for their tallies; it returns the views' names.

    `changed` has the columns id, sequence, value, apart, former and former_apart. A vote that moves
    from one tally to the other changes both. `noun` and `target` are SQL expressions.
    """
    counted = f"case when {changed}.apart = tally.apart then {changed}.value else 0 end"
    before = f"case when {changed}.former_apart = tally.apart then {changed}.former else 0 end"
    return f"""
        insert into runner_arrival (view, target, source, sequence, value, difference)
        select {noun} || case when tally.apart then '_agent_votes' else '_votes' end, {target},
            id, sequence, {counted}, {counted} - {before}
        from {changed}, (values (false), (true)) as tally (apart)
        where {counted} <> {before}
        returning view, target
    """  # noqa: S608 - constants of ours
