"""Tokens are made, looked up and revoked."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from socialcode.accounts.models import PREFIX_LENGTH, ApiToken, new_token_text, token_digest

# Its last use is known to this precision: a write for each request would be dear.
USE_PRECISION = timedelta(minutes=1)


def create_token(*, user: User, name: str = "") -> tuple[ApiToken, str]:
    """Make a token; its text, told here, can't be found out again."""
    text = new_token_text()
    token = ApiToken.objects.create(
        user=user, name=name, prefix=text[:PREFIX_LENGTH], digest=token_digest(text)
    )
    return token, text


def revoke_token(*, user: User, token_id: int) -> bool:
    """Make a token of this user useless; say whether there was one."""
    deleted, _ = ApiToken.objects.filter(pk=token_id, user=user).delete()
    return deleted > 0


def user_of_token(text: str) -> User | None:
    """Return whose token this is, if it is one; a user whose account is shut is no actor."""
    token = ApiToken.objects.select_related("user").filter(digest=token_digest(text)).first()
    if token is None or not token.user.is_active:
        return token.user if token else None
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > USE_PRECISION:
        stale = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_PRECISION)
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)
    return token.user
