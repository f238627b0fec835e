"""Refuses passwords that are on lists of stolen ones, or that take few guesses.

Nobody outside is asked: the lists come with Django and zxcvbn. Neither has German words, so some
that passwords are made of are added here.
"""

import re
import threading
import unicodedata
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import CommonPasswordValidator
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from zxcvbn import zxcvbn

# An attacker who has the hashes tries a few dozen a second: years for each password.
FEWEST_GUESSES = 10**9
# The estimate takes a fifth of a second at most for so many characters, but 6 s for 64.
MOST_ESTIMATED = 20
# It keeps the words of the user whom it is asked about in a global dictionary.
_one_at_a_time = threading.Lock()
SITE_WORDS = ("socialcode", "social", "function")
GERMAN_WORDS = (
    "passwort kennwort geheim geheimnis schluessel hallo servus moin tschuess willkommen sommer"
    " winter herbst fruehling januar februar maerz april juni juli august september oktober"
    " november dezember montag dienstag mittwoch donnerstag freitag samstag sonntag deutschland"
    " oesterreich schweiz berlin hamburg muenchen koeln frankfurt stuttgart duesseldorf leipzig"
    " dresden hannover nuernberg wien zuerich bayern sachsen schwaben fussball handball bundesliga"
    " borussia dortmund schalke werder bremen gladbach meister weltmeister pokal sonne sonnenblume"
    " sonnenschein schmetterling erdbeere kirsche himbeere apfel banane schokolade kuchen kaffee"
    " feierabend urlaub wochenende liebe liebling schatz schatzi maus mausi hase hasi baer"
    " baerchen spatz engel prinzessin koenig koenigin ritter zauber drache hund hunde katze kater"
    " pferd vogel adler wolf fuchs loewe tiger elefant delfin stern mond himmel wolke regenbogen"
    " blume rose lilie veilchen baum wald wiese berg meer strand insel schiff auto motorrad"
    " fahrrad eisenbahn flugzeug computer rechner tastatur bildschirm internet drucker telefon"
    " handy test probe gast benutzer verwalter anmelden familie mama papa mutter vater oma opa"
    " bruder schwester kinder freund freundin freunde zusammen immer niemals ewig ichliebedich"
    " leben glueck freiheit frieden gott jesus teufel michael thomas andreas stefan christian"
    " martin daniel sebastian alexander julia katharina anna sabine claudia nicole petra susanne"
    " stefanie sandra lukas jonas felix leon finn paul emma hannah mia lena laura sarah marie"
    " sophie"
).split()


class StrengthValidator(CommonPasswordValidator):
    """Refuses what many people use, and what could be guessed in less than a thousand million."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Raise ValidationError with the reason if the password is too weak for this user."""
        if password.lower().strip() in self.passwords:
            message = _("Many people use this password, and it is on lists of stolen ones.")
            raise ValidationError(message, "password_too_common")
        if guesses_at(password, _words_of(user)) < FEWEST_GUESSES:
            message = _(
                "This password is easy to guess. Make it longer, without names, dates and patterns;"
                " several words that don't belong together are easy to keep in mind."
            )
            raise ValidationError(message, "password_guessable")

    def get_help_text(self) -> str:
        """Return what is asked of passwords."""
        return _(
            "At least 8 characters that are hard to guess: no single word with a year, nothing that"
            " many people use."
        )


def guesses_at(password: str, likely: Sequence[str] = ()) -> int:
    """Return an estimate of the guesses that it takes; the first of the likely words come first."""
    text = _without_accents(password)[:MOST_ESTIMATED]
    with _one_at_a_time:
        return int(zxcvbn(text, user_inputs=[*likely, *SITE_WORDS, *GERMAN_WORDS])["guesses"])


def _without_accents(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def _words_of(user: Any) -> list[str]:
    """Return the words of a user's name and mail address."""
    named = f"{user.username} {user.email}" if isinstance(user, User) else ""
    words = re.split(r"[\W_]+", _without_accents(named))
    return [word for word in words if len(word) > 1]
