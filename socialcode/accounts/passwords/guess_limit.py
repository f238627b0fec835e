"""Password checks with a limit on guesses."""

from typing import Any

from django.contrib.auth import authenticate
from django.contrib.auth.models import User

from functions.request_limits import PASSWORD_TRIES, PASSWORD_TRIES_PER_NAME
from runner.sockets.networks import network_of
from socialcode.accounts.suspensions import why_shut


class TooManyGuesses(Exception):
    """Raised for an address with too many wrong guesses; it may retry after `wait_seconds`."""

    def __init__(self, wait_seconds: int) -> None:
        super().__init__(f"too many guesses, wait {wait_seconds} s")
        self.wait_seconds = wait_seconds


class AccountShut(Exception):
    """Raised for a correct password of a suspended account; `why` is the message to the user."""

    def __init__(self, why: str) -> None:
        super().__init__("account shut")
        self.why = why


def user_with_password(address: str, username: str, password: str) -> User | None:
    """Return the user of this name and password; None if the password is wrong.

    Raises TooManyGuesses, before any hashing, for an address with too many wrong guesses, and
    AccountShut for the correct password of a suspended account.
    """
    counters = (
        (PASSWORD_TRIES_PER_NAME, f"{address} {username.lower()}"),
        (PASSWORD_TRIES, address),
    )
    # Each try is counted before the check and refunded if it is correct, so that concurrent tries
    # can't exceed the limit.
    for rate, who in counters:
        if not rate.count(who):
            raise TooManyGuesses(rate.retry_after_seconds())
    is_guess = False
    try:
        user = _user_with_password(username, password)
        is_guess = user is None
        return user
    finally:
        if not is_guess:
            for rate, who in counters:
                rate.refund(who)


def _user_with_password(username: str, password: str) -> User | None:
    spelled = stored_spelling(username)
    user = authenticate(username=spelled, password=password)
    if isinstance(user, User):
        return user
    shut = User.objects.filter(username=spelled, is_active=False).first()
    if shut is not None and shut.check_password(password):
        raise AccountShut(why_shut(shut))
    return None


def stored_spelling(username: str) -> str:
    """Return the name as its account spells it, because names are case-insensitive."""
    names = User.objects.filter(username__iexact=username).values_list("username", flat=True)
    return names.first() or username


def address_of(request: Any) -> str:
    """Return a request's client address, ignoring untrusted headers.

    For IPv6 it is the /64 network, because one client has all of its addresses.
    """
    return str(network_of(str(request.META.get("REMOTE_ADDR", ""))))
