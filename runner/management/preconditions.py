"""Ends commands that may not start, with the reason and the cure."""

from django.core.management.base import CommandError

from runner.operations.preconditions import Unfit, check_preconditions


def require_preconditions(*, uses_database: bool = True) -> None:
    """Raise CommandError if a process of the site may not start."""
    try:
        check_preconditions(uses_database=uses_database)
    except Unfit as unfit:
        raise CommandError(str(unfit)) from unfit
