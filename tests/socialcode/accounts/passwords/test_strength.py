"""Passwords that many people use, or that take few guesses, are refused."""

import time

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from socialcode.accounts.passwords.strength import guesses_at

ANA = User(username="ana", email="mirabelle@example.org")


@pytest.mark.parametrize(
    ("password", "code"),
    [
        ("Passw0rd", "password_too_common"),
        ("12345678", "password_too_common"),
        *((word, "password_guessable") for word in ("Summer2026", "Winter2025!!", "qwertz123456")),
        *(
            (word, "password_guessable")
            for word in ("München2024", "Schmetterling", "Fußball2026!")
        ),
        *((word, "password_guessable") for word in ("Socialcode1", "abc" * 10, "a" * 72, "A1" * 9)),
        ("mirabelle99", "password_guessable"),
        ("short", "password_too_short"),
    ],
)
def test_what_is_easy_to_guess_is_refused(password: str, code: str) -> None:
    with pytest.raises(ValidationError) as refused:
        validate_password(password, ANA)
    assert code in {error.code for error in refused.value.error_list}


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery",
        "gadpaw-3bykno",
        "x7Gq!pR2kM",
        "Tannenbaum und Lampe",
        "🐢 vs 🐇 vs 🐌",
    ],
)
def test_what_is_hard_to_guess_is_taken(password: str) -> None:
    validate_password(password, ANA)


def test_the_longest_estimate_takes_no_time() -> None:
    guesses_at("begin")
    begun = time.process_time()
    guesses_at("4@8({[<369&#!|10$5+7%2/" * 10)
    assert time.process_time() - begun < 2
