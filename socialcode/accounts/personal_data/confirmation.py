"""How a person confirms what a program or a form asks for in their name."""

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from functions.errors import Forbidden, Refusal, TooOften
from socialcode.accounts.passwords.guess_limit import user_with_password
from socialcode.accounts.security.guesses import TooManyGuesses


def require_password(person: User, password: str, *, address: str) -> None:
    """Refuse a wrong password; guesses are limited as at sign-in."""
    if not person.has_usable_password():
        message = _("This account has no password. Do it on the site, where you are signed in.")
        raise Forbidden("no_password", message)
    try:
        found = user_with_password(address, person.get_username(), password)
    except TooManyGuesses as refusal:
        raise TooOften(refusal.message, retry_after_seconds=refusal.wait_seconds) from refusal
    if found is None:
        raise Refusal("wrong_password", _("This isn't your password."), field="password")


def require_name(person: User, name: str) -> None:
    """Refuse another name than the person's, whose account has no password."""
    if name.strip() != person.get_username():
        raise Refusal("wrong_name", _("This isn't your user name."), field="name")
