"""Results of former runtimes that still count until their programs are run again.

A new version of Python, the policy or the helpers changes the key of every program. A cell keeps
its former result provisionally, as long as nothing else about its program has changed.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from django.utils import timezone

from functions.contests.cells import StoredCell
from functions.contests.contest import Contest, Pair
from functions.contests.programs import ProgramBuilder
from functions.models import Runtime
from runner.programs.program import PreparedProgram, keys_in_runtime
from runner.sandbox import RUNTIME_VERSION

ELECTIONS_HELD_WITHIN = timedelta(days=1)
MAX_VERSIONS = 3  # former versions to compare with; older results don't count until rerun


def former_versions() -> list[str]:
    """Return former runtime versions that cells may still refer to, latest first; usually none."""
    seen = list(Runtime.objects.order_by("-pk")[: MAX_VERSIONS + 1])
    if seen and seen[0].version == RUNTIME_VERSION and _is_over(seen[0].walked_at):
        return []
    return list(dict.fromkeys(one.version for one in seen if one.version != RUNTIME_VERSION))


def _is_over(walked_at: datetime | None) -> bool:
    """Elections enqueued by the upgrade are held shortly after it ends, not while it runs."""
    return walked_at is not None and walked_at + ELECTIONS_HELD_WITHIN < timezone.now()


def is_provisional(program: PreparedProgram, former: bytes) -> bool:
    """Return whether a former key identifies the same program in a former runtime."""
    return any(former in keys_in_runtime(program, version) for version in former_versions())


def find_provisional(
    contest: Contest,
    cells: Mapping[Pair, StoredCell],
    pairs: Iterable[Pair],
    versions: Iterable[str],
) -> set[Pair]:
    """Return the pairs whose result is of the same program in one of these former runtimes."""
    counting = [pair for pair in pairs if pair in cells and cells[pair].result.verdict]
    found: set[Pair] = set()
    for version in versions if counting else ():
        for knows_returns in (True, False):
            builder = ProgramBuilder(contest, runtime=version, knows_returns=knows_returns)
            keys = builder.keys(counting)
            found.update(pair for pair, key in keys.items() if key and key == cells[pair].key)
    return found
