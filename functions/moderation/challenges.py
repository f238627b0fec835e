"""Standing of tests by acts of users; a published test without standing is a challenge.

Elections give standing for votes and for being passed.
"""

from django.utils import timezone

from functions.contests.test_rules import StandingCause
from functions.models import Election, Function, Test

# Causes that an act replaces; standing by a pass can lapse.
_WEAKER = (StandingCause.NONE, StandingCause.PASSED)


def first_cause(test: Test, function: Function) -> StandingCause:
    """Return the cause of standing for a test being published; NONE makes it a challenge.

    The caller holds the function's row, so that no election is written meanwhile.
    """
    if test.author_id == function.owner_id:
        return StandingCause.OWNER
    is_later = Election.objects.filter(function=function).exists()
    return StandingCause.NONE if is_later else StandingCause.EARLY


def give_standing(test: Test, cause: StandingCause) -> None:
    """Set the test's standing in memory, unless it is permanent already."""
    if cause and StandingCause(test.standing_cause) in _WEAKER:
        test.standing_cause, test.standing_since = cause.value, timezone.now()
        test.proven_by, test.proven_uses = None, b""
