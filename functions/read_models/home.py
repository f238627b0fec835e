"""Read models of the first page: activity, and a newcomer's first steps."""

from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser

from functions.models import Function, Implementation, Test, Work
from functions.read_models.browse import NEEDS_HELP, FunctionRow, browse
from functions.read_models.run_list import RunFilter, RunRow, run_list
from functions.read_models.snapshot import snapshot
from functions.read_models.undefined_names import WantedName, wanted_names
from runner.models import Batch
from runner.registry import Actor

RUNS_SHOWN = 6
HELP_SHOWN = 5
WANTED_SHOWN = CHALLENGES_SHOWN = 2
PEOPLE_SHOWN = 8
RUNS_LOOKED_AT = 200  # for who is active


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """The latest public runs, what needs help, and who was active last."""

    runs: tuple[RunRow, ...]
    help: tuple[FunctionRow, ...]
    wanted: tuple[WantedName, ...]  # names that code uses and nobody has defined
    challenges: tuple[Test, ...]  # the newest tests by others than owners that don't count yet
    people: tuple[str, ...]


class FirstSteps(NamedTuple):
    """A new user's steps to a first elected implementation, in order; true if taken."""

    started: bool
    published: bool


def pulse() -> Pulse:
    """Return what everybody may see of the site's activity."""
    with snapshot():
        owners = Batch.objects.filter(private=False, owner__isnull=False).order_by("-pk")
        names = owners.values_list("owner__username", flat=True)[:RUNS_LOOKED_AT]
        challenges = Test.objects.filter(
            state=Work.State.PUBLISHED, standing_cause="", function__deleted_at=None
        )
        return Pulse(
            runs=run_list(AnonymousUser(), RunFilter(folded=True), limit=RUNS_SHOWN).rows,
            help=browse(status=NEEDS_HELP, sort="used", limit=HELP_SHOWN, counted=False).rows,
            wanted=wanted_names(limit=WANTED_SHOWN).rows,
            challenges=tuple(
                challenges.select_related("function", "author").order_by("-published_at")[
                    :CHALLENGES_SHOWN
                ]
            ),
            people=tuple(dict.fromkeys(names))[:PEOPLE_SHOWN],
        )


def first_steps(actor: Actor) -> FirstSteps | None:
    """Return a user's first steps; None for visitors, and once all have been taken."""
    if actor.pk is None:
        return None
    works = [model.objects.filter(author=actor.pk) for model in (Implementation, Test)]
    if Function.objects.filter(elected__author=actor.pk, deleted_at=None).exists():
        return None
    published = any(mine.exclude(state=Work.State.DRAFT).exists() for mine in works)
    return FirstSteps(published or any(mine.exists() for mine in works), published)
