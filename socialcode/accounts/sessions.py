"""Sessions that say whose they are, so that all of somebody's are found and ended."""

from typing import Any, cast

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone

from runner.registry import register_chore

AT_ONCE = 1_000


def register() -> None:
    """Have what has expired be removed; called once, when all apps are loaded."""
    register_chore("sessions", 3_600, remove_expired)


class Session(AbstractBaseSession):
    """What the site knows of a browser; its data says the same of the user, and is not searched."""

    user_id = models.BigIntegerField(null=True)  # no foreign key: it may be saved once more

    class Meta(AbstractBaseSession.Meta):
        indexes = [
            # ending those of who is suspended
            models.Index(
                name="session_of_user", fields=["user_id"], condition=~models.Q(user_id=None)
            )
        ]

    @classmethod
    def get_session_store_class(cls) -> type["SessionStore"]:
        return SessionStore


class SessionStore(db.SessionStore):
    """Django's, with the user beside the data."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        session = cast("Session", super().create_model_instance(data))
        user_id = data.get(SESSION_KEY)
        session.user_id = None if user_id is None else int(user_id)
        return session


def end_sessions(user_id: int) -> None:
    """End all sessions of a user."""
    Session.objects.filter(user_id=user_id).delete()


def remove_expired(_cursor: int) -> int:
    """Remove sessions that have expired; 1 where there are more."""
    expired = Session.objects.filter(expire_date__lt=timezone.now()).values_list("pk", flat=True)
    found = list(expired[:AT_ONCE])
    Session.objects.filter(pk__in=found).delete()
    return int(len(found) == AT_ONCE)
