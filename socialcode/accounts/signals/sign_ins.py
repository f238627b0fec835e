"""Logs that users have signed in and out, in whatever way."""

from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out

from socialcode.accounts.security.log import Event, log_event


def register() -> None:
    """Connect the signals; called once, when all apps are loaded."""
    user_logged_in.connect(log_sign_in)
    user_logged_out.connect(log_sign_out)


def log_sign_in(*, user: User, **_: Any) -> None:
    """Log a new session."""
    log_event(Event.SIGN_IN, user=user)


def log_sign_out(*, user: User | None, **_: Any) -> None:
    """Log the end of a session, unless nobody was signed in by it."""
    if user is not None:
        log_event(Event.SIGN_OUT, user=user)
