"""Publishes changes of a function as a whole to its open pages, which then offer a reload."""

from django.contrib.auth.models import User

from functions.models import Function
from runner.pipelines.outbox import append_event


def publish_change(function: Function, actor: User, action: str) -> None:
    """Publish a user's action on the function; called in the transaction of the action."""
    text = f"{actor.get_username()} {action}."
    payload = {"function": function.pk, "says": text, "url": function.get_absolute_url()}
    append_event(function.topic, "function.changed", payload)
