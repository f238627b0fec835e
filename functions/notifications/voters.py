"""Notices to those who voted for a work that its author has revised."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User

from functions.models import Function, Implementation, Notice, Vote
from functions.notifications.watches import DELIVER, PAGE, write_notice
from runner.pipelines.fan_out import fan_out
from runner.registry import Page

VOTERS = "functions.voters"


def notify_voters(function: Function, work: Implementation, *, editor: User, number: int) -> None:
    """Notify all who voted for the work, within the transaction that revised it."""
    if not Vote.objects.filter(implementation=work, value=1).exists():
        return
    fields = {
        "text": f"{work}, for which you voted, was revised: version {number}",
        "path": "versions/",
        "actor": editor,
    }
    notice, _ = write_notice(
        function, Notice.Kind.REVISED, fields, once=f"implementation:{work.pk}:{number}"
    )
    fan_out(
        f"notice:{notice.pk}",
        source=VOTERS,
        step=DELIVER,
        arguments={"notice": notice.pk, "implementation": work.pk},
        page=PAGE,
        owner_id=editor.pk,
    )


def read_voters(arguments: Mapping[str, Any], cursor: Any, at_most: int) -> Page:
    """Return the next users who voted for the work; a source."""
    votes = Vote.objects.filter(implementation=arguments["implementation"], value=1)
    ids = votes.filter(voter__gt=cursor or 0).order_by("voter").values_list("voter", flat=True)
    found = list(ids[: at_most + 1])
    return Page(found[:at_most], found[at_most - 1] if len(found) > at_most else None)
