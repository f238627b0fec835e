"""Limits on guesses at secrets: passwords, and the codes of second factors.

Guesses are counted in PostgreSQL, which is needed to check them anyway, before they are checked. So
no number of concurrent guesses, processes or restarts gets more of them through, and a database
that is away refuses all.

The counters are leaky buckets (the algorithm GCRA): each guess makes a bucket fuller, and it drains
steadily. A row stores only when its bucket will be empty.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac
from django.utils.translation import ngettext

from runner.registry import Handlers, PeriodicTask
from socialcode.accounts.models import GuessCount

# How long an address is known to a user after they have signed in from it.
KNOWN_FOR = timedelta(days=90)
AT_ONCE = 5_000

# In the order of keys, so that concurrent guesses at several can't deadlock.
_COUNT = """
    insert into accounts_guesscount as c (key, empty_at)
    select key, now() + drain from unnest(%s::bytea[], %s::interval[]) as given (key, drain)
    order by key
    on conflict (key) do update
    set empty_at = greatest(c.empty_at, now()) + (excluded.empty_at - now())
    returning key, extract(epoch from empty_at - now())::float
"""
_GIVE_BACK = """
    with locked as materialized (
        select key from accounts_guesscount where key = any(%(keys)s) order by key
        for no key update
    )
    update accounts_guesscount c set empty_at = c.empty_at - drain
    from unnest(%(keys)s::bytea[], %(drains)s::interval[]) as given (key, drain), locked
    where c.key = given.key and c.key = locked.key
"""
_REMOVE = """
    delete from accounts_guesscount where key in (
        select key from accounts_guesscount where greatest(empty_at, known_until) < now()
        limit %s for update skip locked)
"""


@dataclass(frozen=True, slots=True)
class Allowance:
    """So many guesses at once; one more each time that `seconds / guesses` have passed."""

    guesses: int
    seconds: int

    @property
    def drain(self) -> timedelta:
        """The time after which one guess is forgotten."""
        return timedelta(seconds=self.seconds / self.guesses)


@dataclass(frozen=True, slots=True)
class GuessLimits:
    """The limits on guesses at one kind of secret.

    Guesses at a name from everywhere are limited only where the address isn't known to its user:
    strangers can't lock users out from where they usually sign in.
    """

    secret: str
    name_from_address: Allowance
    address: Allowance
    name: Allowance


PASSWORDS = GuessLimits(
    "password", Allowance(10, 300), address=Allowance(100, 300), name=Allowance(100, 3_600)
)
CODES = GuessLimits(
    "code", Allowance(10, 600), address=Allowance(50, 600), name=Allowance(30, 3_600)
)


class TooManyGuesses(Exception):
    """Raised instead of checking a guess; the next one is allowed after `wait_seconds`."""

    def __init__(self, wait_seconds: int) -> None:
        super().__init__(f"too many guesses, wait {wait_seconds} s")
        self.wait_seconds = wait_seconds

    @property
    def message(self) -> str:
        """What the user is told."""
        message = ngettext(
            "Too many tries. Wait %(seconds)s second, then try again.",
            "Too many tries. Wait %(seconds)s seconds, then try again.",
            self.wait_seconds,
        )
        return message % {"seconds": self.wait_seconds}


class Guess:
    """A counted guess. It stays counted unless it is confirmed or given back."""

    def __init__(self, pair: bytes, counted: Sequence[tuple[bytes, Allowance]]) -> None:
        self._pair, self._counted = pair, counted

    def confirm(self) -> None:
        """Uncount the guess, which was right; the address is known to the user from now on."""
        self.give_back()
        if self._counted:
            GuessCount.objects.filter(key=self._pair).update(known_until=Now() + KNOWN_FOR)

    def give_back(self) -> None:
        """Uncount the guess, which could not be checked."""
        if self._counted:
            with connection.cursor() as cursor:
                cursor.execute(_GIVE_BACK, _columns(self._counted))


def count_guess(limits: GuessLimits, *, address: str, name: str) -> Guess:
    """Count a guess at a user's secret; called before it is checked.

    `name` is spelled as the account spells it. Raises TooManyGuesses, and counts nothing, beyond
    any of the limits.
    """
    pair = _key(limits, "pair", address, name)
    if not settings.RATE_LIMITS:
        return Guess(pair, ())
    counted = [
        (pair, limits.name_from_address),
        (_key(limits, "address", address), limits.address),
    ]
    if not GuessCount.objects.filter(key=pair, known_until__gt=Now()).exists():
        counted.append((_key(limits, "name", name), limits.name))
    _count(counted)
    return Guess(pair, counted)


@transaction.atomic
def _count(counted: Sequence[tuple[bytes, Allowance]]) -> None:
    """Count in all buckets, or, if one is full, in none."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, list(_columns(counted).values()))
        full_after = {bytes(key): seconds for key, seconds in cursor}
    wait = max(full_after[key] - allowance.seconds for key, allowance in counted)
    if wait > 0:
        raise TooManyGuesses(max(1, math.ceil(wait)))


def _columns(counted: Sequence[tuple[bytes, Allowance]]) -> dict[str, list[object]]:
    return {
        "keys": [key for key, _ in counted],
        "drains": [allowance.drain for _, allowance in counted],
    }


def _key(limits: GuessLimits, *parts: str) -> bytes:
    """Return the key of a bucket; a keyed digest, which tells no addresses."""
    text = "\0".join((limits.secret, *parts)).encode("utf-8", "surrogatepass")
    return salted_hmac(__name__, text, algorithm="sha256").digest()


def remove_counts(_cursor: int) -> int:
    """Remove empty buckets, except those of known addresses; return 1 if there may be more."""
    with connection.cursor() as cursor:
        cursor.execute(_REMOVE, [AT_ONCE])
        return int(cursor.rowcount == AT_ONCE)


HANDLERS = Handlers(periodic_tasks={PeriodicTask("guesses", 600, remove_counts)})
