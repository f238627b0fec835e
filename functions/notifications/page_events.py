"""Tells open pages what was done to a function as a whole: they offer to be fetched anew."""

from django.contrib.auth.models import User

from functions.models import Function
from runner.pipelines.outbox import append_event


def announce_change(function: Function, actor: User, did: str) -> None:
    """Tell who looks at the function's page what somebody did; called in that transaction."""
    says = f"{actor.get_username()} {did}."
    told = {"function": function.pk, "says": says, "url": function.get_absolute_url()}
    append_event(function.topic, "function.changed", told)
