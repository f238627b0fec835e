"""Sessions that store their user's id, so that all sessions of a user can be ended."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any, cast

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import connection, models
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from runner.registry import Handlers, PeriodicTask
from runner.sockets.cookies import may_be_session_key

AT_ONCE = 1_000
SEEN = "signed_in"  # in a session's data: when, from where and by which browser it began

# Loads sessions with their users, for requests of signed-in users and for many sockets at once.
_FIELDS = [field.attname for field in User._meta.concrete_fields]  # noqa: SLF001 - Django's documented interface
_LOAD = f"""
    select s.session_key, s.session_data, {", ".join(f"u.{name}" for name in _FIELDS)}
    from accounts_session s left join auth_user u on u.id = s.user_id
    where s.session_key = any(%s) and s.expire_date > %s
"""  # noqa: S608 - names of columns


class Session(AbstractBaseSession):
    """A session with its user's id, which can't be queried in the session's data."""

    # No foreign key, because a session may be saved after its user was deleted.
    user_id = models.BigIntegerField(null=True)
    # What the user's list of sessions shows; copied from the session's data.
    signed_in_at = models.DateTimeField(null=True)
    address = models.CharField(max_length=45, blank=True, default="", db_default="")
    browser = models.CharField(max_length=200, blank=True, default="", db_default="")

    class Meta(AbstractBaseSession.Meta):
        indexes = [
            # ending the sessions of a suspended user
            models.Index(
                name="session_of_user", fields=["user_id"], condition=~models.Q(user_id=None)
            )
        ]

    @property
    def name(self) -> str:
        """A name that tells nobody the key."""
        return hashlib.sha256(self.session_key.encode()).hexdigest()[:20]

    @classmethod
    def get_session_store_class(cls) -> type["SessionStore"]:
        return SessionStore


class SessionStore(db.SessionStore):
    """Django's session store, which also stores the user's id and loads the user in one query."""

    user: User | None = None  # the session's user when it was loaded

    def load(self) -> dict[str, Any]:
        """Load the session and its user in one query."""
        for _key, data, user in _read([self.session_key]):
            self.user = user
            return self.decode(data)
        self._session_key = None
        return {}

    def _validate_session_key(self, key: str | None) -> bool:
        is_long = super()._validate_session_key(key)  # type: ignore[misc]  # the stubs lack it
        return bool(is_long) and may_be_session_key(str(key))

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        session = cast("Session", super().create_model_instance(data))
        user_id = data.get(SESSION_KEY)
        session.user_id = None if user_id is None else int(user_id)
        if seen := data.get(SEEN):
            session.signed_in_at = datetime.fromtimestamp(seen["at"], UTC)
            session.address, session.browser = seen["address"], seen["browser"]
        return session


def user_read_with(session: SessionStore) -> User | None:
    """Return the user loaded with the session; None if they aren't signed in by it."""
    session.get(SESSION_KEY)  # loads the session, if it isn't loaded yet
    user = session.user
    return user if user and _signs_in(session, user, [user.get_session_auth_hash()]) else None


def users_of_sessions(keys: Collection[str]) -> dict[str, User]:
    """Return the signed-in users by session key, according to Django's rules."""
    decode = SessionStore().decode
    sessions = {key: (decode(data), user) for key, data, user in _read(keys) if user}
    return {
        key: user
        for key, (session, user) in sessions.items()
        if _signs_in(
            session,
            user,
            chain([user.get_session_auth_hash()], user.get_session_auth_fallback_hash()),
        )
    }


def _read(keys: Collection[str | None]) -> Iterator[tuple[str, str, User | None]]:
    """Yield key, encoded data and user of the existing sessions, read in one query."""
    with connection.cursor() as cursor:
        cursor.execute(_LOAD, [list(keys), timezone.now()])
        rows = cursor.fetchall()
    for key, data, *values in rows:
        yield key, data, User.from_db(connection.alias, _FIELDS, values) if values[0] else None


def _signs_in(session: SessionStore | Mapping[str, Any], user: User, hashes: Iterable[str]) -> bool:
    """Return whether a session signs this user in: active, with an unchanged password."""
    return (
        user.is_active
        and session.get(SESSION_KEY) == str(user.pk)
        and session.get(BACKEND_SESSION_KEY) in settings.AUTHENTICATION_BACKENDS
        and any(constant_time_compare(session.get(HASH_SESSION_KEY, ""), one) for one in hashes)
    )


def note_sign_in(request: Any) -> None:
    """Keep in a new session what its user's list of sessions shows."""
    request.session[SEEN] = {
        "at": timezone.now().timestamp(),
        "address": str(request.META.get("REMOTE_ADDR", ""))[:45],
        "browser": str(request.META.get("HTTP_USER_AGENT", ""))[:200],
    }


def sessions_of(user: User) -> list[Session]:
    """Return a user's sessions, newest first."""
    valid = Session.objects.filter(user_id=user.pk, expire_date__gt=timezone.now())
    return list(valid.order_by(models.F("signed_in_at").desc(nulls_last=True)))


def end_some(sessions: Sequence[Session]) -> None:
    """Delete these sessions."""
    Session.objects.filter(pk__in=[one.pk for one in sessions]).delete()


def end_sessions(user_id: int) -> None:
    """Delete all sessions of a user."""
    Session.objects.filter(user_id=user_id).delete()


def remove_expired(_cursor: int) -> int:
    """Remove expired sessions; return 1 if there may be more, else 0."""
    expired = Session.objects.filter(expire_date__lt=timezone.now()).values_list("pk", flat=True)
    keys = list(expired[:AT_ONCE])
    Session.objects.filter(pk__in=keys).delete()
    return int(len(keys) == AT_ONCE)


HANDLERS = Handlers(
    session_lookups={users_of_sessions},
    periodic_tasks={PeriodicTask("sessions", 3_600, remove_expired)},
)
