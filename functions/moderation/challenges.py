"""Challenges: strangers' tests that decide nothing yet, and the acts that give a test standing.

Elections find what follows from passing and voting; what people do is recorded as they do it.
"""

from django.utils import timezone

from functions.contests.test_rules import StandingCause
from functions.models import Election, Function, Test

# What the current implementation's pass has given, an act gives for good.
_WEAKER = (StandingCause.NONE, StandingCause.PASSED)


def first_cause(test: Test, function: Function) -> StandingCause:
    """Return what gives a test standing that is being published; of none, it is a challenge.

    The caller holds the function's row, so that no election is written meanwhile.
    """
    if test.author_id == function.owner_id:
        return StandingCause.OWNER
    is_later = Election.objects.filter(function=function).exists()
    return StandingCause.NONE if is_later else StandingCause.EARLY


def give_standing(test: Test, cause: StandingCause) -> None:
    """Let the test have standing from now on, in memory, unless it has it for good already."""
    if cause and StandingCause(test.standing_cause) in _WEAKER:
        test.standing_cause, test.standing_since = cause.value, timezone.now()
        test.proven_by, test.proven_uses = None, b""
