"""The quotas of accounts: what the product counts of what they use."""

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.utils.translation import gettext_noop

from functions.errors import refusing_over_quota
from runner import quotas
from runner.quotas import CALLS, CPU, RUNS, SOCKETS, Resource

DRAFTS = Resource("drafts", gettext_noop("new drafts"), "DRAFTS_PER_DAY")
FUNCTIONS = Resource("functions", gettext_noop("new functions"), "FUNCTIONS_PER_DAY")
DAILY = (CPU, RUNS, DRAFTS, FUNCTIONS, CALLS)
RESOURCES = {resource.name: resource for resource in (*DAILY, SOCKETS)}


def charge(user: User, amounts: Mapping[Resource, int]) -> None:
    """Count what a request uses, in its transaction. Raises TooOften if that is too much.

    To be called before other rows are locked, as requests of one account take turns.
    """
    with refusing_over_quota():
        quotas.charge(user.pk, amounts)
