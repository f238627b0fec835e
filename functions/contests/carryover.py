"""What former results are worth when programs run in another Python, policy or helpers than before.

All programs have other keys then. What a square says counts on, as long as nothing else about its
program has changed, until that has been run anew.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from django.utils import timezone

from functions.contests.cells import StoredCell
from functions.contests.contest import Contest, Pair
from functions.contests.programs import Meanings
from functions.models import Runtime
from runner.programs.program import PreparedProgram, keys_in_runtime
from runner.sandbox import RUNTIME_VERSION

HELD_WITHIN = timedelta(days=1)
MOST_VERSIONS = 3  # of former ones: what is older still is run anew before it counts


def former_versions() -> list[str]:
    """Return the runtime versions of which squares may be left, the last first; mostly none."""
    seen = list(Runtime.objects.order_by("-pk")[: MOST_VERSIONS + 1])
    if seen and seen[0].version == RUNTIME_VERSION and _is_over(seen[0].walked_at):
        return []
    return list(dict.fromkeys(one.version for one in seen if one.version != RUNTIME_VERSION))


def _is_over(walked_at: datetime | None) -> bool:
    """The elections that a walk asks for are held soon after it, not within it."""
    return walked_at is not None and walked_at + HELD_WITHIN < timezone.now()


def is_carried(program: PreparedProgram, former: bytes) -> bool:
    """Tell whether a former key is of this very program in another runtime."""
    return any(former in keys_in_runtime(program, version) for version in former_versions())


def find_carried(
    contest: Contest,
    cells: Mapping[Pair, StoredCell],
    pairs: Iterable[Pair],
    versions: Iterable[str],
) -> set[Pair]:
    """Return those of these pairs that were run in another runtime, of these, and else are same."""
    counting = [pair for pair in pairs if pair in cells and cells[pair].square.verdict]
    found: set[Pair] = set()
    for version in versions if counting else ():
        for knows_returns in (True, False):
            meanings = Meanings(contest, runtime=version, knows_returns=knows_returns)
            keys = meanings.keys(counting)
            found.update(pair for pair, key in keys.items() if key and key == cells[pair].key)
    return found
