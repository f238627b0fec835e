"""Who may sign in, and how often one may guess."""

from typing import Any

from django.contrib.auth import authenticate
from django.contrib.auth.models import User

from functions.rates import Rate
from socialcode.accounts.suspending import why_shut

GUESSES_AT_NAME = Rate("guesses-at-name", tries=10, seconds=300)
GUESSES = Rate("guesses", tries=100, seconds=300)
SIGN_UPS = Rate("sign-ups", tries=300, seconds=600)


class TooManyGuesses(Exception):
    """This address has guessed too often; `wait_seconds` says when it may again."""

    def __init__(self, wait_seconds: int) -> None:
        super().__init__(f"too many guesses, wait {wait_seconds} s")
        self.wait_seconds = wait_seconds


class AccountShut(Exception):
    """Name and password belong together, but the account is suspended; `why` is for its owner."""

    def __init__(self, why: str) -> None:
        super().__init__("account shut")
        self.why = why


def user_with_password(address: str, username: str, password: str) -> User | None:
    """Return the user of this name and password, if they may sign in.

    Raises TooManyGuesses, before any hashing, for an address that has guessed too often, and
    AccountShut for who may not sign in; nobody else learns of that.
    """
    counters = ((GUESSES_AT_NAME, f"{address} {username.lower()}"), (GUESSES, address))
    for rate, who in counters:
        if rate.is_reached(who):
            raise TooManyGuesses(rate.retry_after_seconds())
    spelled = stored_spelling(username)
    user = authenticate(username=spelled, password=password)
    if isinstance(user, User):
        return user
    shut = User.objects.filter(username=spelled, is_active=False).first()
    if shut is not None and shut.check_password(password):
        raise AccountShut(why_shut(shut))
    for rate, who in counters:
        rate.count(who)
    return None


def stored_spelling(username: str) -> str:
    """Return the name as its account spells it; `Mira` and `mira` are one name."""
    found = User.objects.filter(username__iexact=username).values_list("username", flat=True)
    return found.first() or username


def address_of(request: Any) -> str:
    """Return where a request comes from; headers that anybody can send say nothing."""
    return str(request.META.get("REMOTE_ADDR", ""))
