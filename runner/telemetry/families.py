"""Declares the counters and histograms of all processes, with their labels and meanings."""

from dataclasses import dataclass
from functools import cached_property

LAST_BUCKET = "+Inf"
SUM = "sum"


@dataclass(frozen=True)
class Family:
    """A counter, or a histogram if it has bounds.

    Series are named by their labels' values, separated by blanks. Values must be of a bounded
    number, so nothing that clients choose.
    """

    name: str
    help: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()  # ascending

    @cached_property
    def buckets(self) -> tuple[str, ...]:
        """The names of a histogram's buckets."""
        return (*(str(float(bound)) for bound in self.bounds), LAST_BUCKET)


_declared: dict[str, Family] = {}


def declare(family: Family) -> Family:
    """Add a family to the metrics, and return it."""
    _declared[family.name] = family
    return family


def declared_families() -> list[Family]:
    """Return all families that loaded modules have declared."""
    return list(_declared.values())


ATTEMPTS = declare(
    Family(
        "attempts",
        "Attempts at executions that have ended, by outcome; lost: its worker went silent",
        ("outcome",),
    )
)
VERDICTS = declare(Family("verdicts", "Runs whose outcome was recorded, by verdict", ("verdict",)))
BATCHES = declare(Family("batches", "Batches that have ended", ("state",)))
FOLLOW_UPS = declare(Family("follow_ups", "Follow-ups that were run", ("outcome",)))
SANDBOX_FAILURES = declare(
    Family(
        "sandbox_failures",
        "Programs and analyses that failed because of the sandbox, not of their code",
        ("during",),
    )
)
CLAIM_DELAYS = declare(
    Family(
        "claim_delay_seconds",
        "From a program's submission to its first claim",
        bounds=(0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
    )
)
