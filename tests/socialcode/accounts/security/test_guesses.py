"""Guesses at passwords and codes: counted together, before they are checked, in PostgreSQL."""

import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.db.models import F
from django.test import Client
from pytest_django import Settings

from socialcode.accounts.models import GuessCount
from socialcode.accounts.passwords.guess_limit import user_with_password
from socialcode.accounts.security.guesses import (
    CODES,
    KNOWN_FOR,
    PASSWORDS,
    TooManyGuesses,
    count_guess,
    remove_counts,
)
from tests.functions.test_rate_limits import EMPTY_REGION
from tests.socialcode.accounts.conftest import PASSWORD
from tests.support.threads import run_together

GUESSERS = 60
HERE, THERE = "198.51.100.1", "203.0.113.7"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("limits")]


class CountingHasher(MD5PasswordHasher):
    """A fast hasher that notes what it hashes."""

    hashed: set[str] = set()

    def encode(self, password: str, salt: str, *more: Any) -> str:
        self.hashed.add(password)
        return super().encode(password, salt, *more)


def allowed(times: int, *, address: str = HERE, name: str = "ana") -> int:
    """Return how many of so many wrong guesses are let through."""
    passed = 0
    for _ in range(times):
        with suppress(TooManyGuesses):
            count_guess(PASSWORDS, address=address, name=name)
            passed += 1
    return passed


def seconds_to_wait(*, address: str = HERE, name: str = "ana") -> int:
    with pytest.raises(TooManyGuesses) as refused:
        count_guess(PASSWORDS, address=address, name=name)
    return refused.value.wait_seconds


def pass_time(time: timedelta) -> None:
    GuessCount.objects.update(empty_at=F("empty_at") - time, known_until=F("known_until") - time)


def from_everywhere(number: int) -> str:
    return f"2001:db8:0:{number}::/64"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("redis_url", ["", EMPTY_REGION], ids=["with Redis", "without Redis"])
@pytest.mark.parametrize(
    ("address_of", "name_of", "spent"),
    [
        (lambda _: HERE, lambda number: ("ana", "ANA")[number % 2], 0),
        (lambda _: HERE, "nobody{}".format, 90),
        (from_everywhere, lambda _: "ana", 90),
    ],
    ids=["a name from one address", "names from one address", "a name from many addresses"],
)
def test_of_sixty_guesses_at_once_ten_are_hashed_where_ten_are_left(
    redis_url: str,
    address_of: Callable[[int], str],
    name_of: Callable[[int], str],
    spent: int,
    settings: Settings,
) -> None:
    settings.REDIS_URL = redis_url or settings.REDIS_URL
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    User.objects.create_user("ana", password=PASSWORD)
    for number in range(1_000, 1_000 + spent):
        assert allowed(1, address=address_of(number), name=name_of(number))
    begin = threading.Barrier(GUESSERS)
    CountingHasher.hashed.clear()

    def guess(number: int) -> str:
        begin.wait()
        try:
            found = user_with_password(address_of(number), name_of(number), f"guess {number}")
        except TooManyGuesses:
            return "refused"
        return "right" if found else "wrong"

    said = Counter(run_together(guess, range(GUESSERS)))
    assert said == {"wrong": 10, "refused": GUESSERS - 10}
    assert len(CountingHasher.hashed) == 10


@pytest.mark.parametrize(
    ("seconds", "more"), [(0, 0), (29, 0), (30, 1), (60, 2), (299, 9), (300, 10), (9_000, 10)]
)
def test_after_ten_guesses_there_is_one_more_every_thirty_seconds(seconds: int, more: int) -> None:
    assert allowed(12) == 10
    assert 29 <= seconds_to_wait() <= 30
    pass_time(timedelta(seconds=seconds))
    assert allowed(12) == more


def test_strangers_cannot_lock_users_out_from_where_they_sign_in() -> None:
    for number in range(200):
        allowed(1, address=from_everywhere(number))
        if number == 50:
            count_guess(PASSWORDS, address=HERE, name="ana").confirm()
    assert seconds_to_wait(address=THERE) <= 36
    assert allowed(12) == 10
    assert allowed(1, address=THERE, name="otto") == 1
    pass_time(KNOWN_FOR)
    assert allowed(12) == 10
    for number in range(100):
        allowed(1, address=from_everywhere(number))
    assert allowed(1) == 0


@pytest.mark.parametrize("way", ["confirm", "give_back"])
def test_what_was_right_or_not_checked_is_no_guess(way: str) -> None:
    for _ in range(200):
        getattr(count_guess(PASSWORDS, address=HERE, name="ana"), way)()
    assert allowed(12) == 10
    assert seconds_to_wait() == seconds_to_wait()  # refusals aren't counted either
    assert count_guess(CODES, address=HERE, name="ana")


def test_own_sign_ins_bring_no_more_guesses_at_others() -> None:
    for number in range(100):
        allowed(1, name=f"name{number}")
        with suppress(TooManyGuesses):
            count_guess(PASSWORDS, address=HERE, name="mine").confirm()
    assert allowed(1, name="ana") == 0


def test_empty_counts_are_removed_but_not_where_a_user_is_known() -> None:
    count_guess(PASSWORDS, address=HERE, name="ana").confirm()
    allowed(3, address=THERE)
    pass_time(timedelta(seconds=61))
    assert remove_counts(0) == 0
    assert GuessCount.objects.count() == 3  # the known address; three guesses at two limits
    pass_time(KNOWN_FOR)
    assert remove_counts(0) == 0
    assert not GuessCount.objects.exists()


def test_nothing_is_guessed_while_the_database_is_away(browser: Client, ana: User) -> None:
    def is_away(*_: Any) -> None:
        raise OperationalError("away")

    browser.raise_request_exception = False
    form = {"username": "ana", "password": PASSWORD}
    with connection.execute_wrapper(is_away):
        assert browser.post("/accounts/login/", form).status_code == 503
        told = browser.post("/api/v1/tokens/", form, content_type="application/json")
        assert told.status_code == 503
    assert browser.post("/accounts/login/", form).status_code == 302
