"""Logs that users have signed in and out, in whatever way."""

from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out

from socialcode.accounts.security.log import Event, log_event
from socialcode.accounts.sessions import note_sign_in


def register() -> None:
    """Connect the signals; called once, when all apps are loaded."""
    user_logged_in.connect(log_sign_in)
    user_logged_out.connect(log_sign_out)


# Where django-allauth notes in a session what somebody has signed in with.
METHODS = "account_authentication_methods"


def log_sign_in(*, user: User, request: Any, **_: Any) -> None:
    """Log a new session, and note in it where it began."""
    note_sign_in(request)
    methods = [step["method"] for step in request.session.get(METHODS, ())]
    details: dict[str, Any] = {"methods": methods} if methods else {}
    log_event(Event.SIGN_IN, user=user, **details)


def log_sign_out(*, user: User | None, **_: Any) -> None:
    """Log the end of a session, unless nobody was signed in by it."""
    if user is not None:
        log_event(Event.SIGN_OUT, user=user)
