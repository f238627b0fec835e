"""Creates, looks up and revokes tokens."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.api.scopes import SCOPES
from functions.errors import Refusal
from functions.permissions import person_behind
from socialcode.accounts.models import (
    PREFIX_LENGTH,
    ApiToken,
    new_token_text,
    password_digest,
    token_digest,
)
from socialcode.accounts.security.log import Event, log_event

# The precision of the stored time of last use, because a write per request would be expensive.
USE_PRECISION = timedelta(minutes=1)

# Plain SQL, because each request with a token executes it, and building it with Django took longer
# than executing it.
_LOOK_UP = """
    SELECT token.id, token.last_used_at, token.scopes, token.expires_at, owner.id,
        owner.password, owner.last_login, owner.is_superuser,
        owner.username, owner.first_name, owner.last_name, owner.email, owner.is_staff,
        owner.is_active AND (agent.user_id IS NULL OR person.is_active), owner.date_joined
    FROM accounts_apitoken AS token JOIN auth_user AS owner ON owner.id = token.user_id
        LEFT JOIN functions_agent AS agent ON agent.user_id = owner.id
        LEFT JOIN auth_user AS person ON person.id = agent.person_id
    WHERE token.digest = %s AND token.password_digest =
        sha256(convert_to(coalesce(person.password, owner.password), 'UTF8'))
        AND (token.expires_at IS NULL OR token.expires_at > clock_timestamp())
"""
_FIELDS = (
    *("id", "password", "last_login", "is_superuser", "username"),
    *("first_name", "last_name", "email", "is_staff", "is_active", "date_joined"),
)


class Holder(NamedTuple):
    """The user of a valid token, with the token's scopes and end."""

    user: User
    scopes: frozenset[str]
    expires_at: datetime | None


def create_token(
    *,
    user: User,
    name: str = "",
    scopes: Collection[str] | None = None,
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """Create a token, valid until the user's password changes; return it with its text.

    An agent's is valid until its person's password changes. The text isn't stored. Without
    `scopes`, it has all. Raises a Refusal.
    """
    kept = _checked_scopes(scopes)
    if expires_at is not None and expires_at <= timezone.now():
        raise Refusal("expired", _("This time is over."), field="expires_at")
    text = new_token_text()
    password = person_behind(user).password
    token = ApiToken.objects.create(
        user=user,
        name=name,
        prefix=text[:PREFIX_LENGTH],
        digest=token_digest(text),
        password_digest=password_digest(password),
        scopes=kept,
        expires_at=expires_at,
    )
    log_event(Event.TOKEN_MADE, user=user, token=token.pk)
    return token, text


def _checked_scopes(scopes: Collection[str] | None) -> list[str] | None:
    """Return scopes as they are stored, in the order of the table; None for all."""
    if scopes is None:
        return None
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown:
        message = _("There is no scope “%(scope)s”.") % {"scope": unknown[0]}
        raise Refusal("unknown_scope", message, field="scopes")
    if not scopes:
        raise Refusal("no_scope", _("Choose at least one scope."), field="scopes")
    return None if set(scopes) == set(SCOPES) else [one for one in SCOPES if one in scopes]


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """Return a user's tokens, the newest first, also expired ones."""
    return ApiToken.objects.filter(user=user).order_by("-id")


def revoke_token(*, user: User, token_id: int) -> bool:
    """Revoke a token of this user; return whether it existed."""
    deleted = ApiToken.objects.filter(pk=token_id, user=user).delete()[0]
    if deleted:
        log_event(Event.TOKEN_REVOKED, user=user, token=token_id)
    return deleted > 0


def end_tokens(*, user: User) -> None:
    """Remove the tokens that were made under a former password; they are invalid already."""
    former = _tokens_under_password_of(user).exclude(password_digest=password_digest(user.password))
    for token in former.select_related("user"):
        token_id = token.pk
        token.delete()
        log_event(Event.TOKEN_ENDED, user=token.user, token=token_id, reason="password_changed")


def keep_tokens(*, user: User, former_hash: str) -> None:
    """Keep the tokens valid after the unchanged password was hashed anew."""
    valid = _tokens_under_password_of(user).filter(password_digest=password_digest(former_hash))
    valid.update(password_digest=password_digest(user.password))


def _tokens_under_password_of(user: User) -> QuerySet[ApiToken]:
    """Return the tokens that end with this user's password: theirs, and those of their agents."""
    return ApiToken.objects.filter(Q(user=user) | Q(user__agent__person=user))


def user_of_token(text: str) -> User | None:
    """Return the user of a valid token, or None."""
    holder = holder_of_token(text)
    return holder.user if holder else None


def holder_of_token(text: str) -> Holder | None:
    """Return the holder of a valid token, who may be suspended; store the use by active users.

    An agent counts as suspended while its person is.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LOOK_UP, [token_digest(text)])
        row = cursor.fetchone()
    if row is None:
        return None
    token_id, last_used_at, scopes, expires_at, *values = row
    user = User.from_db(connection.alias, _FIELDS, values)
    now = timezone.now()
    if user.is_active and (last_used_at is None or now - last_used_at > USE_PRECISION):
        stale = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_PRECISION)
        ApiToken.objects.filter(stale, pk=token_id).update(last_used_at=now)
    return Holder(user, frozenset(SCOPES if scopes is None else scopes), expires_at)
