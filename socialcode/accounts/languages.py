"""The language that a user chose; visitors have theirs in a cookie, or their browser's."""

from django.conf import settings
from django.contrib.auth.models import User
from django.http.response import HttpResponseBase

from socialcode.accounts.models import Language

CODES = frozenset(code for code, _ in settings.LANGUAGES)


def choose_language(user: User, code: str) -> None:
    """Keep a user's choice. `code` is one of the site's languages."""
    Language.objects.update_or_create(user=user, defaults={"code": code})


def recall_language(response: HttpResponseBase, user: User) -> None:
    """Give the browser of a user who signed in the cookie of their language, if they chose one."""
    code = Language.objects.filter(user=user).values_list("code", flat=True).first()
    if code in CODES:
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            code,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            samesite="Lax",
        )
