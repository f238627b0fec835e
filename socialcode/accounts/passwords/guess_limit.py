"""Password checks with a limit on guesses."""

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import authenticate
from django.contrib.auth.models import User

from runner.sockets.networks import network_of
from socialcode.accounts.passwords.hash_gate import HashersBusy
from socialcode.accounts.security.guesses import PASSWORDS, TooManyGuesses, count_guess
from socialcode.accounts.security.log import Event, log_refusal
from socialcode.accounts.suspensions import why_shut


class AccountShut(Exception):
    """Raised for a correct password of a suspended account; `why` is the message to the user."""

    def __init__(self, why: str) -> None:
        super().__init__("account shut")
        self.why = why


REASONS: dict[type[Exception], str] = {
    TooManyGuesses: "too_many_guesses",
    AccountShut: "suspended",
    HashersBusy: "busy",
}


def user_with_password(address: str, username: str, password: str) -> User | None:
    """Return the user of this name, or confirmed mail address, and password; None if it is wrong.

    Raises TooManyGuesses, before any hashing, beyond a limit on wrong guesses, and AccountShut for
    the correct password of a suspended account.
    """
    account = _account_of(username)
    try:
        user = _counted(address, account, username, password)
    except (TooManyGuesses, AccountShut, HashersBusy) as refusal:
        log_refusal(Event.SIGN_IN, REASONS[type(refusal)], user=account, name=username)
        raise
    if user is None:
        reason = "wrong_password" if account else "unknown_name"
        log_refusal(Event.SIGN_IN, reason, user=account, name=username)
    return user


def _account_of(login: str) -> User | None:
    """Return the account of this name, or else of this confirmed mail address."""
    account = User.objects.filter(username__iexact=login).first()
    if account is None and "@" in login:
        confirmed = EmailAddress.objects.filter(email=login.lower(), verified=True)
        account = User.objects.filter(emailaddress__in=confirmed).first()
    return account


def _counted(address: str, account: User | None, username: str, password: str) -> User | None:
    # All spellings of an account's name, and its addresses, are counted together.
    name = account.get_username() if account else username.lower()
    guess = count_guess(PASSWORDS, address=address, name=name)
    try:
        user = _user_with_password(name, password)
    except AccountShut:
        guess.confirm()
        raise
    except HashersBusy:
        guess.give_back()
        raise
    if user is not None:
        guess.confirm()
    return user


def _user_with_password(username: str, password: str) -> User | None:
    user = authenticate(username=username, password=password)
    if isinstance(user, User):
        return user
    shut = User.objects.filter(username=username, is_active=False).first()
    if shut is not None and shut.check_password(password):
        raise AccountShut(why_shut(shut))
    return None


def address_of(request: Any) -> str:
    """Return a request's client address, ignoring untrusted headers.

    For IPv6 it is the /64 network, because one client has all of its addresses.
    """
    return str(network_of(str(request.META.get("REMOTE_ADDR", ""))))
